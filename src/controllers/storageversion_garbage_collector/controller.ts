import { LEASES, STORAGEVERSIONS } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, queueController, together } from "../running/mod.ts";
import type { CollectorContext } from "./context.ts";
import { leaseHandler, versionHandler } from "./handlers.ts";
import { syncLease, syncVersion } from "./sync.ts";

export const NAME = "storageversion-garbage-collector-controller";
export const CLIENT_NAME = "storage-version-garbage-collector";
export const QUEUES = {
  leases: "storage_version_garbage_collector_leases",
  versions: "storage_version_garbage_collector_storageversions",
} as const;

export function buildStorageVersionCollector(context: ControllerContext): Controller {
  const { world, metrics, informers, journal } = context;
  const leases = informers.informer(LEASES);
  const versions = informers.informer(STORAGEVERSIONS);

  const leaseQueue = new WorkQueue({ world, name: QUEUES.leases, metrics });
  const versionQueue = new WorkQueue({ world, name: QUEUES.versions, metrics });
  const working: CollectorContext = {
    world,
    client: context.clients.client(CLIENT_NAME),
    leases: leases.lister,
    leaseQueue,
    versionQueue,
  };
  const caches = [
    leases.addEventHandler(leaseHandler(working)),
    versions.addEventHandler(versionHandler(working)),
  ];
  // One worker each: if both write one StorageVersion, the second gets a conflict and is retried.
  const common = { world, journal, caches, workers: 1 };
  return together(
    queueController({
      ...common,
      name: `${NAME}/leases`,
      queue: leaseQueue,
      sync: (name) => syncLease(name, working),
    }),
    queueController({
      ...common,
      name: NAME,
      resource: STORAGEVERSIONS,
      queue: versionQueue,
      sync: (name) => syncVersion(name, working),
    }),
  );
}
