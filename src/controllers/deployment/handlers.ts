import {
  controllerOf,
  type Deployment,
  DEPLOYMENTS,
  isControlledBy,
  objectKey,
  type Pod,
  type ReplicaSet,
  REPLICASETS,
} from "../../api/mod.ts";
import { type EventHandler, finalStateOf } from "../../cache/mod.ts";
import { podsControlledBy, replicaSetsControlledBy } from "../pods/mod.ts";
import { cause, childHandler, parentHandler, resolveControllerRef, selectorOfCached } from "../running/mod.ts";
import type { DeploymentContext } from "./context.ts";

/** A change of a Deployment queues it. */
export function deploymentHandler({ queue }: Pick<DeploymentContext, "queue">): EventHandler<Deployment> {
  return parentHandler({ kind: "deployment", queue });
}

/** A change of a ReplicaSet queues its Deployment, or those that could want to adopt it. */
export function replicaSetHandler(
  { queue, deployments }: Pick<DeploymentContext, "queue" | "deployments">,
): EventHandler<ReplicaSet> {
  return childHandler<Deployment, ReplicaSet>({
    child: "replicaset",
    parentKind: DEPLOYMENTS.kind,
    parents: deployments,
    queue,
    selectorOf: ({ spec }) => spec?.selector,
  });
}

/**
 * With the strategy `Recreate`, the rollout waits for the end of the last pod, which no other event may announce.
 * Upstream reads the ReplicaSets from the API server here, because the cache may lack one.
 */
export function podHandler(context: DeploymentContext): EventHandler<Pod> {
  return {
    onDelete: (deleted) => {
      const pod = finalStateOf(deleted);
      const deployment = pod && deploymentOfPod(pod, context);
      if (deployment?.spec?.strategy?.type !== "Recreate") return;
      // The handler's next call waits for it, so these reads are sequential.
      return enqueueIfLast(pod!, deployment, context).catch((error) =>
        context.world.log.error("Could not count the pods of a deployment", { err: error, key: objectKey(deployment) })
      );
    },
  };
}

async function enqueueIfLast(pod: Pod, deployment: Deployment, context: DeploymentContext): Promise<void> {
  const hasPods = (replicaSet: ReplicaSet) => podsControlledBy(context.pods, replicaSet, "ReplicaSet").length > 0;
  // Avoids a request for each pod except the last.
  const selector = selectorOfCached(deployment.spec?.selector);
  const known = replicaSetsControlledBy(context.replicaSetIndexer, deployment.metadata ?? {});
  if (known.some((replicaSet) => selector.matches(replicaSet.metadata?.labels) && hasPods(replicaSet))) return;
  const { items } = await context.client.list(REPLICASETS, {
    namespace: deployment.metadata?.namespace,
    labelSelector: selector.toString(),
  });
  if (items.some((replicaSet) => isControlledBy(replicaSet, deployment) && hasPods(replicaSet))) return;
  context.queue.add(objectKey(deployment), cause("pod", pod, "deleted"));
}

function deploymentOfPod(pod: Pod, { replicaSets, deployments }: DeploymentContext): Deployment | undefined {
  const controller = controllerOf(pod);
  const replicaSet = controller && resolveControllerRef(replicaSets, "ReplicaSet", pod, controller);
  const owner = replicaSet && controllerOf(replicaSet);
  return owner && resolveControllerRef(deployments, "Deployment", replicaSet, owner);
}
