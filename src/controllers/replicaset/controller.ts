import { PODS, type ReplicaSet, REPLICASETS } from "../../api/mod.ts";
import { ConsistencyStore, controllerIndexOf, ensureIndexer, POD_CONTROLLER_INDEX } from "../../cache/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import {
  type Controller,
  type ControllerContext,
  type ControllerDescriptor,
  defineController,
  indexReplicaSets,
  PodControl,
  queueController,
  UidExpectations,
} from "../common/mod.ts";
import { ownerHandler, podHandler } from "./handlers.ts";
import { REPLICASET_KIND } from "./kind.ts";
import { deletionAgeRatio } from "./metrics.ts";
import { indexPodsByTemplateHash, relatedPods } from "./related_pods.ts";
import { type ReplicaSyncOptions, syncReplicas } from "./sync.ts";
import { WriteGuard } from "./write_guard.ts";

/** Keeps the number of pods of each ReplicaSet. Upstream: `pkg/controller/replicaset`. */
export const REPLICASET_CONTROLLER: ControllerDescriptor = defineController(
  REPLICASET_KIND.controllerName,
  buildReplicaSetController,
);

function buildReplicaSetController(context: ControllerContext): Controller {
  const { world, metrics, informers, options, journal } = context;
  const kind = REPLICASET_KIND;
  const owners = informers.informer(REPLICASETS);
  const pods = informers.informer(PODS);
  indexReplicaSets(owners);
  ensureIndexer(pods, POD_CONTROLLER_INDEX, controllerIndexOf);
  indexPodsByTemplateHash(pods);

  const client = context.clients.client(kind.component);
  const queue = new WorkQueue({ world, name: kind.queueName, metrics });
  const expectations = new UidExpectations(world.clock);
  const store = new ConsistencyStore({
    clock: world.clock,
    caches: [[REPLICASETS, owners], [PODS, pods]],
    metrics,
    metricName: "replicaset_controller_stale_sync_skips_total",
  });
  const guard = new WriteGuard(store, kind.resource);
  const handling = { kind, owners: owners.lister, queue, expectations, guard };
  const caches = [owners.addEventHandler(ownerHandler(handling)), pods.addEventHandler(podHandler(handling))];

  const related = { pods: pods.indexer, podLister: pods.lister, replicaSets: owners.indexer };
  const syncing: ReplicaSyncOptions<ReplicaSet> = {
    kind,
    world,
    client,
    podControl: new PodControl({ client, recorder: context.recorder(kind.component) }),
    owners: owners.lister,
    pods: pods.indexer,
    expectations,
    queue,
    guard,
    relatedPods: (replicaSet) => relatedPods(replicaSet, related),
    ageRatio: deletionAgeRatio(metrics),
  };
  return queueController({
    name: kind.controllerName,
    world,
    journal,
    queue,
    caches,
    workers: options.concurrentReplicaSetSyncs,
    sync: (key) => syncReplicas(key, syncing),
  });
}
