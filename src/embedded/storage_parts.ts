import { type NodeSimulatorOptions, SimulatedStorage, type SimulatedStorageOptions } from "../sandbox/mod.ts";

/** A cluster's storage, and what its nodes have to do with it. */
export interface StorageParts {
  readonly storage: SimulatedStorage;
  readonly nodes: Required<Pick<NodeSimulatorOptions, "storageDrivers" | "attaches">>;
}

/**
 * Storage for a cluster. Where nobody has volumes attached, pods do not wait for that.
 *
 * @param running Names of the controllers that run.
 */
export function storageParts(options: SimulatedStorageOptions, running: ReadonlySet<string>): StorageParts {
  const storage = new SimulatedStorage(options);
  const attaches = running.has("persistentvolume-attach-detach-controller");
  return { storage, nodes: { storageDrivers: [storage.driver], attaches } };
}
