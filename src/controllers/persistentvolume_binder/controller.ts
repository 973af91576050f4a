import {
  type KubeObject,
  NODES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  PERSISTENTVOLUMES,
  PODS,
  type Resource,
  STORAGECLASSES,
} from "../../api/mod.ts";
import { TurnBudget } from "../../base/mod.ts";
import { waitForNamedCacheSync } from "../../cache/mod.ts";
import { isConflict } from "../../client/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { CLAIM_FIELDS_OF_PODS, indexPodsByClaim, STATE_FIELDS_OF_PODS } from "../pod_volumes/mod.ts";
import { type Controller, type ControllerContext, periodically, queueController, together } from "../running/mod.ts";
import { HOST_PATH_PLUGIN, NFS_PLUGIN, PendingOperations, VolumePlugins } from "../volumes/mod.ts";
import { NAME } from "./background.ts";
import type { BinderContext } from "./context.ts";
import { queueAll, queueingHandler } from "./handlers.ts";
import { newCandidates } from "./matching.ts";
import { binderMetrics, claimCounts, volumeCounts } from "./metrics.ts";
import { OperationTimes } from "./operation_times.ts";
import { type BinderOptions, recyclersOf } from "./options.ts";
import { PrivateCache } from "./private_cache.ts";
import { FIELDS_OF_RECYCLERS } from "./recycler_run.ts";
import { syncClaimKey, syncVolumeKey } from "./sync.ts";

export const CLIENT_NAME = "persistent-volume-binder";
/** The component in its events. */
const EVENT_COMPONENT = "persistentvolume-controller";
/** The shortest period for checking everything; with less, nothing else would get done. */
const SHORTEST_PERIOD_MS = 100;

/** @throws {Error} If a template of a recycler cannot be used. */
export function buildBinder(context: ControllerContext, options: BinderOptions): Controller {
  const { world, metrics, informers } = context;
  const volumes = informers.informer(PERSISTENTVOLUMES); // whole, as claims: they are written back
  const claims = informers.informer(PERSISTENTVOLUMECLAIMS);
  const pods = informers.informer(PODS, [
    ...CLAIM_FIELDS_OF_PODS,
    ...STATE_FIELDS_OF_PODS,
    ...FIELDS_OF_RECYCLERS,
    "spec.nodeName",
  ]);
  const classes = informers.informer(STORAGECLASSES, [
    "provisioner",
    "reclaimPolicy",
    "mountOptions",
    "volumeBindingMode",
  ]);
  const nodes = informers.informer(NODES, []);
  indexPodsByClaim(pods);
  const plugins = new VolumePlugins([HOST_PATH_PLUGIN, NFS_PLUGIN]);
  const claimQueue = new WorkQueue({ world, name: "claims", metrics });
  const volumeQueue = new WorkQueue({ world, name: "volumes", metrics });
  const counted = binderMetrics(metrics);
  const working: Omit<BinderContext, "signal"> = {
    world,
    journal: context.journal,
    client: context.clients.client(CLIENT_NAME),
    recorder: context.recorder(EVENT_COMPONENT, CLIENT_NAME),
    ...newCandidates(volumeCounts(metrics, plugins)),
    claims: new PrivateCache({ onChange: claimCounts(metrics) }),
    shownVolumes: volumes.indexer,
    shownClaims: claims.indexer,
    pods: pods.indexer,
    classes: classes.lister,
    nodes: nodes.lister,
    volumeQueue,
    claimQueue,
    operations: new PendingOperations({ clock: world.clock }),
    plugins,
    recyclers: recyclersOf(options, context.files),
    folders: context.folders,
    metrics: counted,
    times: new OperationTimes(world.clock, counted),
    isProvisioning: options.isProvisioning,
    provisionsHostPaths: options.provisionsHostPaths,
  };
  const caches = [
    volumes.addEventHandler(queueingHandler("persistentvolume", volumeQueue)),
    claims.addEventHandler(queueingHandler("persistentvolumeclaim", claimQueue)),
    pods,
    classes,
    nodes,
  ];
  return {
    run: async (signal) => {
      const { log } = world;
      if (!await waitForNamedCacheSync({ log, name: NAME, signal }, ...caches)) return;
      const budget = new TurnBudget(world.clock);
      await fill(working.volumes, volumes.indexer.list(), budget);
      await fill(working.claims, claims.indexer.list(), budget);
      await workOff({ ...working, signal }, { context, volumeQueue, claimQueue, periodMs: options.syncPeriodMs });
    },
  };
}

async function fill<T extends KubeObject>(
  cache: PrivateCache<T>,
  objects: readonly T[],
  budget: TurnBudget,
): Promise<void> {
  for (const object of objects) {
    if (budget.spent) await budget.nextTurn();
    cache.store(object);
  }
}

interface Work {
  readonly context: ControllerContext;
  readonly volumeQueue: WorkQueue;
  readonly claimQueue: WorkQueue;
  readonly periodMs: number;
}

/** One worker per kind; the order of writes makes it safe to process a claim and its volume at the same time. */
async function workOff(
  working: BinderContext,
  { context: { world, journal }, volumeQueue, claimQueue, periodMs }: Work,
): Promise<void> {
  const { signal } = working;
  const part = (
    resource: Resource<PersistentVolume> | Resource<PersistentVolumeClaim>,
    queue: WorkQueue,
    syncKey: (key: string, working: BinderContext) => Promise<void>,
  ) =>
    queueController({
      name: NAME,
      world,
      journal,
      resource,
      queue,
      caches: [],
      workers: 1,
      sync: (key) => syncKey(key, working),
      onError: (key, err) => {
        if (isConflict(err)) world.log.verbose(3, "Sync met a conflict, will retry", { kind: resource.kind, key, err });
        else world.log.error("Sync failed, will retry", { kind: resource.kind, key, err });
        return "retry";
      },
    });
  const pausing = { clock: world.clock, signal, periodMs: Math.max(periodMs, SHORTEST_PERIOD_MS) };
  await Promise.all([
    periodically(pausing, () => queueAll(working, world)),
    together(
      part(PERSISTENTVOLUMES, volumeQueue, syncVolumeKey),
      part(PERSISTENTVOLUMECLAIMS, claimQueue, syncClaimKey),
    ).run(signal),
  ]);
  await working.operations.idle();
}
