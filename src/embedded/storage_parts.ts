import { type NodeSimulatorOptions, SimulatedStorage, type SimulatedStorageOptions } from "../sandbox/mod.ts";

/** A cluster's storage, and its nodes' part in it. */
export interface StorageParts {
  readonly storage: SimulatedStorage;
  readonly nodes: Required<Pick<NodeSimulatorOptions, "storageDrivers" | "attaches">>;
}

/**
 * Storage for a cluster. If no controller attaches volumes, pods do not wait for that.
 *
 * @param running Names of the running controllers.
 */
export function storageParts(options: SimulatedStorageOptions, running: ReadonlySet<string>): StorageParts {
  const storage = new SimulatedStorage(options);
  const attaches = running.has("persistentvolume-attach-detach-controller");
  return { storage, nodes: { storageDrivers: [storage.driver], attaches } };
}
