import { findCondition, type ReplicaSet, REVISION_ANNOTATION } from "../../api/mod.ts";
import { createReplicaSet, noteCurrent, updateReplicaSet } from "./actions.ts";
import { currentAnnotations } from "./annotations.ts";
import { progressDeadlineSeconds } from "./bounds.ts";
import { PROGRESSING, REASON } from "./conditions.ts";
import type { DeploymentContext } from "./context.ts";
import type { Draft } from "./draft.ts";
import { nextRevision } from "./history.ts";
import { findReplicaSets, type ReplicaSets } from "./replica_sets.ts";

/**
 * Finds the Deployment's ReplicaSets and makes sure that the current one, if any, has the highest revision, and that
 * the Deployment has the same.
 * Upstream: `pkg/controller/deployment/sync.go` (getAllReplicaSetsAndSyncRevision).
 *
 * @param owned The ReplicaSets that the Deployment controls.
 */
export async function syncRevision(
  draft: Draft,
  owned: readonly ReplicaSet[],
  context: DeploymentContext,
): Promise<ReplicaSets> {
  const { current, old } = await findReplicaSets(draft.deployment, owned, context.world);
  if (!current) return { current, old };
  return { current: await updateCurrent(draft, current, { revision: nextRevision(old), context }), old };
}

/** Like {@link syncRevision}, but also creates the current ReplicaSet if missing. */
export async function ensureCurrent(
  draft: Draft,
  owned: readonly ReplicaSet[],
  context: DeploymentContext,
): Promise<ReplicaSets & { readonly current: ReplicaSet }> {
  const { current, old } = await syncRevision(draft, owned, context);
  if (current) return { current, old };
  return { current: await createReplicaSet(draft, old, { revision: nextRevision(old), context }), old };
}

async function updateCurrent(
  draft: Draft,
  current: ReplicaSet,
  { revision, context }: { readonly revision: bigint; readonly context: DeploymentContext },
): Promise<ReplicaSet> {
  const { deployment } = draft;
  const { annotations, isChanged } = currentAnnotations(deployment, current.metadata?.annotations, revision);
  const minReadySeconds = deployment.spec?.minReadySeconds;
  if (isChanged || (current.spec?.minReadySeconds ?? 0) !== (minReadySeconds ?? 0)) {
    return await updateReplicaSet(current, { annotations, minReadySeconds }, context);
  }
  // If the deadline was added later, it counts from now.
  const lacksCondition = progressDeadlineSeconds(deployment) !== undefined &&
    !findCondition(deployment.status?.conditions, PROGRESSING);
  const progress = lacksCondition
    ? { reason: REASON.foundNewReplicaSet, message: `Found new replica set "${current.metadata?.name}"` }
    : undefined;
  await noteCurrent(draft, { revision: current.metadata?.annotations?.[REVISION_ANNOTATION] ?? "", progress }, context);
  return current;
}
