import {
  type Deployment,
  DEPRECATED_ROLLBACK_TO_ANNOTATION,
  POD_TEMPLATE_HASH_LABEL,
  type ReplicaSet,
} from "../../api/mod.ts";
import { equalIgnoreHash } from "../../rules/mod.ts";
import { parseInt64 } from "../../base/mod.ts";
import { putDeployment } from "./actions.ts";
import { annotationsOfRollback } from "./annotations.ts";
import type { DeploymentContext } from "./context.ts";
import { ensureCurrent } from "./current_replica_set.ts";
import type { Draft } from "./draft.ts";
import { lastRevision, revisionOf } from "./history.ts";
import { allOf } from "./replica_sets.ts";

/** The revision that the rollback annotation requests, 0 for the previous one; `undefined` without an annotation. */
export function rollbackTo(deployment: Deployment): bigint | undefined {
  const text = deployment.metadata?.annotations?.[DEPRECATED_ROLLBACK_TO_ANNOTATION];
  return text === undefined ? undefined : parseInt64(text);
}

/** The outcome of a rollback request. */
type Rollback =
  | { readonly outcome: "template"; readonly replicaSet: ReplicaSet; readonly revision: bigint }
  | { readonly outcome: "refused"; readonly reason: string; readonly message: string };

/** Decides which ReplicaSet's template to restore, if any. */
function planRollback(deployment: Deployment, replicaSets: readonly ReplicaSet[], to: bigint): Rollback {
  const notFound = "DeploymentRollbackRevisionNotFound";
  const revision = to || lastRevision(replicaSets);
  if (revision === 0n) return { outcome: "refused", reason: notFound, message: "Unable to find last revision." };
  const replicaSet = replicaSets.find((candidate) => revisionOf(candidate) === revision);
  if (!replicaSet) {
    return { outcome: "refused", reason: notFound, message: "Unable to find the revision to rollback to." };
  }
  if (equalIgnoreHash(deployment.spec?.template, replicaSet.spec?.template)) {
    return {
      outcome: "refused",
      reason: "DeploymentRollbackTemplateUnchanged",
      message: `The rollback revision contains the same template as current deployment "${deployment.metadata?.name}"`,
    };
  }
  return { outcome: "template", replicaSet, revision };
}

/**
 * Performs the requested rollback and removes the annotation in any case. The resulting rollout happens in the next
 * sync. Upstream: `pkg/controller/deployment/rollback.go`.
 */
export async function rollBack(
  draft: Draft,
  { owned, to }: { readonly owned: readonly ReplicaSet[]; readonly to: bigint },
  context: DeploymentContext,
): Promise<void> {
  const replicaSets = await ensureCurrent(draft, owned, context);
  const plan = planRollback(draft.deployment, allOf(replicaSets), to);
  if (plan.outcome === "refused") {
    context.recorder.event(draft.deployment, "Warning", plan.reason, plan.message);
  } else {
    draft.deployment = withTemplateOf(draft.deployment, plan.replicaSet);
  }
  const { [DEPRECATED_ROLLBACK_TO_ANNOTATION]: _, ...annotations } = draft.deployment.metadata?.annotations ?? {};
  draft.annotations = annotations;
  await putDeployment(draft, context);
  if (plan.outcome === "template") {
    const message = `Rolled back deployment "${draft.deployment.metadata?.name}" to revision ${plan.revision}`;
    context.recorder.event(draft.deployment, "Normal", "DeploymentRollback", message);
  }
}

function withTemplateOf(deployment: Deployment, replicaSet: ReplicaSet): Deployment {
  const template = replicaSet.spec?.template;
  const { [POD_TEMPLATE_HASH_LABEL]: _, ...labels } = template?.metadata?.labels ?? {};
  return {
    ...deployment,
    metadata: { ...deployment.metadata, annotations: annotationsOfRollback(deployment, replicaSet) },
    spec: { ...deployment.spec!, template: { ...template, metadata: { ...template?.metadata, labels } } },
  };
}
