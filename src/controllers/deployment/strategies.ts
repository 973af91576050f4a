import { isPodTerminal } from "../../rules/mod.ts";
import { type ReplicaSet } from "../../api/mod.ts";
import { podsControlledBy } from "../pods/mod.ts";
import { deleteReplicaSets, resize, writeRolloutStatus } from "./actions.ts";
import { desiredReplicas } from "./bounds.ts";
import type { DeploymentContext } from "./context.ts";
import { ensureCurrent, syncRevision } from "./current_replica_set.ts";
import type { Draft } from "./draft.ts";
import { planCleanup } from "./history.ts";
import { activeOf, type ReplicaSets, totalPods, totalSize } from "./replica_sets.ts";
import { maxReduction, planCurrent, surplusReductions, unhealthyReductions } from "./rolling_update.ts";
import { isComplete } from "./status.ts";

/**
 * One step of a rolling update: the current ReplicaSet grows as far as allowed; otherwise the old ones shrink as far as
 * allowed.
 * Upstream: `pkg/controller/deployment/rolling.go`.
 */
export async function rollOut(draft: Draft, owned: readonly ReplicaSet[], context: DeploymentContext): Promise<void> {
  const replicaSets = await ensureCurrent(draft, owned, context);
  const { current } = replicaSets;
  const replicas = planCurrent(draft.deployment, replicaSets, current);
  const { isScaled } = await resize(draft, { replicaSet: current, replicas, isForced: false }, context);
  if (!isScaled && !(await reduceOld(draft, replicaSets, context))) {
    await cleanUpIfComplete(draft, replicaSets, context);
  }
  await writeRolloutStatus(draft, replicaSets, context);
}

/**
 * @returns Whether pods were removed. A failure ends it silently, as if nothing had been done; the next sync continues.
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
 * One step of recreating all pods: first all old ones are removed, then the new ones are created.
 * Upstream: `pkg/controller/deployment/recreate.go`.
 */
export async function recreate(draft: Draft, owned: readonly ReplicaSet[], context: DeploymentContext): Promise<void> {
  const found = await syncRevision(draft, owned, context);
  let isScaled = false;
  for (const replicaSet of activeOf(found.old)) {
    isScaled = (await resize(draft, { replicaSet, replicas: 0, isForced: false }, context)).isScaled || isScaled;
  }
  if (isScaled || hasOldPods(found, owned, context)) return await writeRolloutStatus(draft, found, context);

  const { current, old } = found;
  const replicaSets = current ? { current, old } : await ensureCurrent(draft, owned, context);
  const replicas = desiredReplicas(draft.deployment);
  await resize(draft, { replicaSet: replicaSets.current, replicas, isForced: false }, context);
  await cleanUpIfComplete(draft, replicaSets, context);
  await writeRolloutStatus(draft, replicaSets, context);
}

/** Whether pods deprecated ReplicaSets may still run; one that is terminating does. */
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
