import { CONTROLLERREVISIONS, PERSISTENTVOLUMECLAIMS, PODS, STATEFULSETS } from "../../api/mod.ts";
import { ConsistencyStore, controllerIndexOf, ensureIndexer, POD_CONTROLLER_INDEX } from "../../cache/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { indexRevisions, TemplateEquivalence } from "../revisions/mod.ts";
import { type Controller, type ControllerContext, queueController, WriteGuard } from "../running/mod.ts";
import type { StatefulSetContext } from "./context.ts";
import { podHandler, setHandler } from "./handlers.ts";
import { UnavailableGauges } from "./metrics.ts";
import { syncStatefulSet } from "./sync.ts";

export const NAME = "statefulset-controller";

/** The fields of pods that are read: their state, and whether their volumes are their claims. */
const READ_OF_PODS = [
  "spec.volumes.name",
  "spec.volumes.persistentVolumeClaim.claimName",
  "status.phase",
  "status.conditions",
];

export function buildStatefulSetController(
  context: ControllerContext,
  { workers }: { readonly workers: number },
): Controller {
  const { world, metrics, informers, gates, journal } = context;
  const sets = informers.informer(STATEFULSETS);
  const pods = informers.informer(PODS, READ_OF_PODS);
  const claims = informers.informer(PERSISTENTVOLUMECLAIMS);
  const revisions = informers.informer(CONTROLLERREVISIONS);
  ensureIndexer(pods, POD_CONTROLLER_INDEX, controllerIndexOf);
  indexRevisions(revisions);

  const queue = new WorkQueue({ world, name: "statefulset", metrics });
  // Upstream counts skipped syncs but does not export the count.
  const store = new ConsistencyStore({
    clock: world.clock,
    caches: [[STATEFULSETS, sets], [PODS, pods], [PERSISTENTVOLUMECLAIMS, claims]],
    metrics,
  });
  const gauges = new UnavailableGauges(metrics);
  const syncing: StatefulSetContext = {
    world,
    client: context.clients.client(NAME),
    recorder: context.recorder(NAME),
    queue,
    sets: sets.lister,
    pods: pods.lister,
    podIndexer: pods.indexer,
    claims: claims.lister,
    revisions: revisions.lister,
    revisionIndexer: revisions.indexer,
    guard: new WriteGuard(store, STATEFULSETS, { isOff: !gates.has("StaleControllerConsistencyStatefulSet") }),
    equivalence: gates.has("StatefulSetSemanticRevisionComparison") ? new TemplateEquivalence() : undefined,
    unavailable: gates.has("MaxUnavailableStatefulSet") ? gauges : undefined,
  };
  const caches = [
    sets.addEventHandler(setHandler(syncing)),
    pods.addEventHandler(podHandler(syncing)),
    claims,
    revisions,
  ];
  return queueController({
    name: NAME,
    world,
    journal,
    resource: STATEFULSETS,
    queue,
    caches,
    workers,
    sync: (key) => syncStatefulSet(key, syncing),
  });
}
