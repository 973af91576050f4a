import { deepEqual } from "../../base/mod.ts";
import {
  controllerOf,
  type Deployment,
  isControlledBy,
  objectKey,
  type OwnerReference,
  type Pod,
  type ReplicaSet,
  REPLICASETS,
} from "../../api/mod.ts";
import { deletedKey, type EventHandler, finalStateOf } from "../../cache/mod.ts";
import {
  cause,
  parentsMatching,
  podsControlledBy,
  replicaSetsControlledBy,
  resolveControllerRef,
  selectorOfCached,
  validSelectorOfCached,
} from "../common/mod.ts";
import type { DeploymentContext } from "./context.ts";

/** What happens to a Deployment queues it. */
export function deploymentHandler({ queue }: Pick<DeploymentContext, "queue">): EventHandler<Deployment> {
  return {
    onAdd: (deployment) => queue.add(objectKey(deployment), cause("deployment", deployment, "added")),
    onUpdate: (_, deployment) => queue.add(objectKey(deployment), cause("deployment", deployment, "updated")),
    onDelete: (deleted) => {
      const key = deletedKey(deleted);
      queue.add(key, cause("deployment", key, "deleted"));
    },
  };
}

type ReplicaSetContext = Pick<DeploymentContext, "queue" | "deployments">;

/** What happens to a ReplicaSet queues its Deployment, or those that could want to adopt it. */
export function replicaSetHandler(context: ReplicaSetContext): EventHandler<ReplicaSet> {
  const onGone = (replicaSet: ReplicaSet) =>
    enqueueOwner(replicaSet, controllerOf(replicaSet), { what: "deleted", ...context });
  return {
    onAdd: (replicaSet) => {
      // After a restart a ReplicaSet may be seen first while it is going already.
      if (replicaSet.metadata?.deletionTimestamp) return onGone(replicaSet);
      const controller = controllerOf(replicaSet);
      if (controller) enqueueOwner(replicaSet, controller, { what: "added", ...context });
      else enqueueMatching(replicaSet, { what: "added", ...context });
    },
    onUpdate: (before, replicaSet) => onReplicaSetUpdated(before, replicaSet, context),
    onDelete: (deleted) => {
      const replicaSet = finalStateOf(deleted);
      if (replicaSet) onGone(replicaSet);
    },
  };
}

function onReplicaSetUpdated(before: ReplicaSet, replicaSet: ReplicaSet, context: ReplicaSetContext): void {
  if (before.metadata?.resourceVersion === replicaSet.metadata?.resourceVersion) return; // a replay of the cache
  const [oldController, controller] = [controllerOf(before), controllerOf(replicaSet)];
  const controllerChanged = !deepEqual(oldController, controller);
  const how = { what: "updated", ...context } as const;
  if (controllerChanged) enqueueOwner(before, oldController, how);
  if (controller) return enqueueOwner(replicaSet, controller, how);
  if (controllerChanged || !deepEqual(before.metadata?.labels ?? {}, replicaSet.metadata?.labels ?? {})) {
    enqueueMatching(replicaSet, how);
  }
}

/**
 * With the strategy `Recreate` the last pod's end is what the rollout waits for; no other event may tell of it.
 * Upstream reads the ReplicaSets from the API server here, since the cache may lack one.
 */
export function podHandler(context: DeploymentContext): EventHandler<Pod> {
  return {
    onDelete: (deleted) => {
      const pod = finalStateOf(deleted);
      const deployment = pod && deploymentOfPod(pod, context);
      if (deployment?.spec?.strategy?.type !== "Recreate") return;
      // The handler is waited for before its next call, so these reads come one after the other.
      return enqueueIfLast(pod!, deployment, context).catch((error) =>
        context.world.log.error("Could not count the pods of a deployment", { err: error, key: objectKey(deployment) })
      );
    },
  };
}

async function enqueueIfLast(pod: Pod, deployment: Deployment, context: DeploymentContext): Promise<void> {
  const hasPods = (replicaSet: ReplicaSet) => podsControlledBy(context.pods, replicaSet, "ReplicaSet").length > 0;
  // Spares the API server a request for each pod but the last.
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

interface How extends ReplicaSetContext {
  readonly what: "added" | "updated" | "deleted";
}

function enqueueOwner(
  replicaSet: ReplicaSet,
  controller: OwnerReference | undefined,
  { what, queue, deployments }: How,
): void {
  const deployment = controller && resolveControllerRef(deployments, "Deployment", replicaSet, controller);
  if (deployment) queue.add(objectKey(deployment), cause("replicaset", replicaSet, what));
}

function enqueueMatching(replicaSet: ReplicaSet, { what, queue, deployments }: How): void {
  const matching = parentsMatching(deployments, replicaSet, ({ spec }) => validSelectorOfCached(spec?.selector));
  for (const deployment of matching) queue.add(objectKey(deployment), cause("replicaset", replicaSet, what));
}
