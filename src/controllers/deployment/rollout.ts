import { isPodTerminal } from "../../rules/mod.ts";
import { type ReplicaSet } from "../../api/mod.ts";
import { podsControlledBy } from "../pods/mod.ts";
import { desiredReplicas } from "./bounds.ts";
import { planCleanup } from "./cleanup.ts";
import type { DeploymentContext } from "./context.ts";
import type { Draft } from "./draft.ts";
import { activeOf, type ReplicaSets, totalPods, totalSize } from "./replica_sets.ts";
import { syncRevision } from "./revision.ts";
import { maxReduction, planCurrent, surplusReductions, unhealthyReductions } from "./rolling.ts";
import { isComplete } from "./status.ts";
import { syncRolloutStatus } from "./status_sync.ts";
import { deleteReplicaSets, resize } from "./writes.ts";

/**
 * One step of a rolling update: the current ReplicaSet grows as far as it may, else the old ones shrink as far as they
 * may.
 * Upstream: `pkg/controller/deployment/rolling.go`.
 */
export async function rollOut(draft: Draft, owned: readonly ReplicaSet[], context: DeploymentContext): Promise<void> {
  const replicaSets = await syncRevision(draft, owned, { ...context, create: true });
  const current = replicaSets.current!;
  const replicas = planCurrent(draft.deployment, replicaSets, current);
  const { isScaled } = await resize(draft, { replicaSet: current, replicas, isForced: false }, context);
  if (!isScaled && !(await reduceOld(draft, { ...replicaSets, current }, context))) {
    await cleanUpIfComplete(draft, replicaSets, context);
  }
  await syncRolloutStatus(draft, replicaSets, context);
}

/**
 * @returns Whether pods were taken away. A failure ends it silently, as if nothing had been done: the next sync sees.
 */
async function reduceOld(
  draft: Draft,
  replicaSets: ReplicaSets & { readonly current: ReplicaSet },
  context: DeploymentContext,
): Promise<boolean> {
  const { current } = replicaSets;
  const old = activeOf(replicaSets.old);
  if (totalSize(old) === 0) return false;
  const limit = maxReduction(draft.deployment, replicaSets, current);
  if (limit <= 0) return false;
  let isReduced = false;
  try {
    for (const { replicaSet, replicas } of unhealthyReductions(old, limit)) {
      const { replicaSet: written } = await resize(draft, { replicaSet, replicas, isForced: false }, context);
      old[old.indexOf(replicaSet)] = written;
      isReduced = true;
    }
    for (const { replicaSet, replicas } of surplusReductions(draft.deployment, { current, old })) {
      await resize(draft, { replicaSet, replicas, isForced: false }, context);
      isReduced = true;
    }
    return isReduced;
  } catch (error) {
    const { namespace, name } = draft.deployment.metadata ?? {};
    context.world.log.verbose(4, "Old replica sets were not scaled down", { err: error, namespace, deployment: name });
    return false;
  }
}

/**
 * One step of replacing all pods: the old ones go first, all of them, then the new ones come.
 * Upstream: `pkg/controller/deployment/recreate.go`.
 */
export async function recreate(draft: Draft, owned: readonly ReplicaSet[], context: DeploymentContext): Promise<void> {
  let replicaSets = await syncRevision(draft, owned, { ...context, create: false });
  let isScaled = false;
  for (const replicaSet of activeOf(replicaSets.old)) {
    isScaled = (await resize(draft, { replicaSet, replicas: 0, isForced: false }, context)).isScaled || isScaled;
  }
  if (isScaled || hasOldPods(replicaSets, owned, context)) return await syncRolloutStatus(draft, replicaSets, context);

  if (!replicaSets.current) replicaSets = await syncRevision(draft, owned, { ...context, create: true });
  const replicas = desiredReplicas(draft.deployment);
  await resize(draft, { replicaSet: replicaSets.current!, replicas, isForced: false }, context);
  await cleanUpIfComplete(draft, replicaSets, context);
  await syncRolloutStatus(draft, replicaSets, context);
}

/** Whether pods of old ReplicaSets may still run; one that is terminating does. */
function hasOldPods(
  { current, old }: ReplicaSets,
  owned: readonly ReplicaSet[],
  { pods }: Pick<DeploymentContext, "pods">,
): boolean {
  if (totalPods(old) > 0) return true;
  return owned.some((replicaSet) =>
    replicaSet.metadata?.uid !== current?.metadata?.uid &&
    podsControlledBy(pods, replicaSet, "ReplicaSet").some((pod) => !isPodTerminal(pod))
  );
}

async function cleanUpIfComplete(draft: Draft, { old }: ReplicaSets, context: DeploymentContext): Promise<void> {
  const { deployment } = draft;
  if (isComplete(deployment, deployment.status)) await deleteReplicaSets(planCleanup(deployment, old), context);
}
