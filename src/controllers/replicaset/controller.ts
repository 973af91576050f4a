import { PODS, REPLICASETS } from "../../api/mod.ts";
import { ConsistencyStore } from "../../cache/mod.ts";
import { indexReplicaSets } from "../pods/mod.ts";
import { type Controller, type ControllerContext, WriteGuard } from "../running/mod.ts";
import { buildReplicaController, READ_OF_PODS } from "./build.ts";
import { REPLICASET_KIND } from "./kind.ts";
import { indexPodsByTemplateHash, relatedPods } from "./related_pods.ts";

export function buildReplicaSetController(
  context: ControllerContext,
  { workers }: { readonly workers: number },
): Controller {
  const { world, metrics, informers, gates } = context;
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
  return buildReplicaController(context, {
    kind: {
      ...REPLICASET_KIND,
      countsTerminating: gates.has("DeploymentReplicaSetTerminatingReplicas"),
      ignoresDeletionCost: !gates.has("PodDeletionCost"),
    },
    owners,
    workers,
    guard: new WriteGuard(store, REPLICASETS, { isOff: !gates.has("StaleControllerConsistencyReplicaSet") }),
    relatedPods: (replicaSet, budget) => budget.run(relatedPods(replicaSet, related)),
  });
}
