import { PODS, REPLICASETS } from "../../api/mod.ts";
import { ConsistencyStore } from "../../cache/mod.ts";
import { indexReplicaSets } from "../pods/mod.ts";
import {
  type Controller,
  type ControllerContext,
  type ControllerDescriptor,
  defineController,
  WriteGuard,
} from "../running/mod.ts";
import { buildReplicaController, READ_OF_PODS } from "./build.ts";
import { REPLICASET_KIND } from "./kind.ts";
import { indexPodsByTemplateHash, relatedPods } from "./related_pods.ts";

/** Keeps the number of pods of each ReplicaSet. Upstream: `pkg/controller/replicaset`. */
export const REPLICASET_CONTROLLER: ControllerDescriptor = defineController(
  REPLICASET_KIND.controllerName,
  buildReplicaSetController,
);

function buildReplicaSetController(context: ControllerContext): Controller {
  const { world, metrics, informers, options } = context;
  const owners = informers.informer(REPLICASETS);
  const pods = informers.informer(PODS, READ_OF_PODS);
  indexReplicaSets(owners);
  indexPodsByTemplateHash(pods);
  const store = new ConsistencyStore({
    clock: world.clock,
    caches: [[REPLICASETS, owners], [PODS, pods]],
    metrics,
    metricName: "replicaset_controller_stale_sync_skips_total",
  });
  const related = { pods: pods.indexer, podLister: pods.lister, replicaSets: owners.indexer };
  const isOff = (gate: string) => options.disabledGates?.has(gate) ?? false;
  return buildReplicaController(context, {
    kind: {
      ...REPLICASET_KIND,
      countsTerminating: !isOff("DeploymentReplicaSetTerminatingReplicas"),
      ignoresDeletionCost: isOff("PodDeletionCost"),
    },
    owners,
    workers: options.concurrentReplicaSetSyncs,
    guard: new WriteGuard(store, REPLICASETS, { isOff: isOff("StaleControllerConsistencyReplicaSet") }),
    relatedPods: (replicaSet, budget) => budget.run(relatedPods(replicaSet, related)),
  });
}
