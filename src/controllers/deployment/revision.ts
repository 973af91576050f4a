import { findCondition, type ReplicaSet, REPLICASETS, REVISION_ANNOTATION } from "../../api/mod.ts";
import { currentAnnotations } from "./annotations.ts";
import { progressDeadlineSeconds } from "./bounds.ts";
import { PROGRESSING, REASON } from "./conditions.ts";
import type { DeploymentContext } from "./context.ts";
import { createReplicaSet } from "./create_replica_set.ts";
import type { Draft } from "./draft.ts";
import { findReplicaSets, type ReplicaSets } from "./replica_sets.ts";
import { nextRevision } from "./revisions.ts";
import { noteCurrent } from "./writes.ts";

/**
 * Finds the Deployment's ReplicaSets and sees to it that the current one has the highest revision, and the Deployment
 * that same revision. Upstream: `pkg/controller/deployment/sync.go` (getAllReplicaSetsAndSyncRevision).
 *
 * @param owned The ReplicaSets that the Deployment controls.
 * @param options.create Whether to create the current one if it does not exist.
 */
export async function syncRevision(
  draft: Draft,
  owned: readonly ReplicaSet[],
  { create, ...context }: DeploymentContext & { readonly create: boolean },
): Promise<ReplicaSets> {
  const { current, old } = await findReplicaSets(draft.deployment, owned, context.world);
  const revision = nextRevision(old);
  if (current) return { current: await updateCurrent(draft, current, { revision, context }), old };
  return { current: create ? await createReplicaSet(draft, old, { revision, context }) : undefined, old };
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
    return await context.client.update(REPLICASETS, {
      ...current,
      metadata: { ...current.metadata, annotations },
      spec: { ...current.spec!, minReadySeconds },
    });
  }
  // A Deployment that was given its deadline later counts from now.
  const lacksCondition = progressDeadlineSeconds(deployment) !== undefined &&
    !findCondition(deployment.status?.conditions, PROGRESSING);
  const progress = lacksCondition
    ? { reason: REASON.foundNewReplicaSet, message: `Found new replica set "${current.metadata?.name}"` }
    : undefined;
  await noteCurrent(draft, { revision: current.metadata?.annotations?.[REVISION_ANNOTATION] ?? "", progress }, context);
  return current;
}
