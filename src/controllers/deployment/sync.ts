import { TurnBudget } from "../../base/mod.ts";
import { type Deployment, DEPLOYMENTS, findCondition, type ReplicaSet, REPLICASETS } from "../../api/mod.ts";
import { claim, orphanReplicaSets, replicaSetsControlledBy } from "../pods/mod.ts";
import { byKey, selectorOfCached, selectsEverything } from "../running/mod.ts";
import { deleteReplicaSets, putStatus, resize, writeStatus } from "./actions.ts";
import { progressDeadlineSeconds } from "./bounds.ts";
import { PROGRESSING, REASON, type Statement } from "./conditions.ts";
import type { DeploymentContext } from "./context.ts";
import { syncRevision } from "./current_replica_set.ts";
import { Draft } from "./draft.ts";
import { planCleanup } from "./history.ts";
import { rollBack, rollbackTo } from "./rollback.ts";
import { isScalingEvent, planScaling } from "./scaling.ts";
import { recreate, rollOut } from "./strategies.ts";

/**
 * Brings one Deployment a step closer to what it asks for.
 * Upstream: `pkg/controller/deployment/deployment_controller.go` (syncDeployment).
 *
 * @param key `namespace/name`.
 * @throws {Error} If the key must be retried: a write failed, most often because a cache was behind.
 */
export async function syncDeployment(key: string, context: DeploymentContext): Promise<void> {
  const cached = byKey(context.deployments, key);
  if (!cached) return;
  const draft = new Draft(cached);
  if (selectsEverything(cached.spec?.selector)) return await refuseSelector(draft, context);

  const owned = await claimReplicaSets(cached, context);
  if (cached.metadata?.deletionTimestamp) {
    const replicaSets = await syncRevision(draft, owned, context);
    return await writeStatus(draft, replicaSets, context);
  }
  await syncPaused(draft, context);
  if (cached.spec?.paused) return await scale(draft, owned, context);
  const to = rollbackTo(draft.deployment);
  if (to !== undefined) return await rollBack(draft, { owned, to }, context);
  if (isScalingEvent(draft.deployment, await syncRevision(draft, owned, context))) {
    return await scale(draft, owned, context);
  }
  const type = cached.spec?.strategy?.type;
  switch (type) {
    case "RollingUpdate":
      return await rollOut(draft, owned, context);
    case "Recreate":
      return await recreate(draft, owned, context);
    default:
      throw new Error(`unexpected deployment strategy type: ${type ?? ""}`);
  }
}

async function refuseSelector(draft: Draft, context: DeploymentContext): Promise<void> {
  const { deployment } = draft;
  const message = "This deployment is selecting all pods. A non-empty selector is required.";
  context.recorder.event(deployment, "Warning", "SelectingAll", message);
  const generation = deployment.metadata?.generation ?? 0;
  if ((deployment.status?.observedGeneration ?? 0) >= generation) return;
  draft.status = { ...deployment.status, observedGeneration: generation };
  await putStatus(draft, context).catch(() => {}); // a retry would not help
}

function claimReplicaSets(deployment: Deployment, context: DeploymentContext): Promise<ReplicaSet[]> {
  const { world, client, replicaSetIndexer } = context;
  const candidates = [
    ...replicaSetsControlledBy(replicaSetIndexer, deployment.metadata ?? {}),
    ...orphanReplicaSets(replicaSetIndexer, deployment.metadata?.namespace),
  ];
  return claim(candidates, {
    client,
    parent: deployment,
    parentResource: DEPLOYMENTS,
    resource: REPLICASETS,
    selector: selectorOfCached(deployment.spec?.selector),
    budget: new TurnBudget(world.clock),
  });
}

/** Records in the condition that a Deployment is paused, so that no deadline passes meanwhile. */
async function syncPaused(draft: Draft, context: DeploymentContext): Promise<void> {
  const statement = pausedStatement(draft.deployment);
  if (!statement) return;
  draft.state(statement, context.world.clock.wallMs());
  await putStatus(draft, context);
}

/** The new content of the condition `Progressing` about pausing; `undefined` if it does not change. */
export function pausedStatement(deployment: Deployment): Statement | undefined {
  if (progressDeadlineSeconds(deployment) === undefined) return undefined;
  const reason = findCondition(deployment.status?.conditions, PROGRESSING)?.reason;
  if (reason === REASON.timedOut) return undefined; // a reported lack of progress stays
  const isPaused = deployment.spec?.paused === true;
  if (isPaused === (reason === REASON.paused)) return undefined;
  return isPaused
    ? { type: PROGRESSING, status: "Unknown", reason: REASON.paused, message: "Deployment is paused" }
    : { type: PROGRESSING, status: "Unknown", reason: REASON.resumed, message: "Deployment is resumed" };
}

/** Handles a paused or scaled Deployment: existing ReplicaSets are resized, and nothing is rolled out. */
async function scale(draft: Draft, owned: readonly ReplicaSet[], context: DeploymentContext): Promise<void> {
  const replicaSets = await syncRevision(draft, owned, context);
  for (const change of planScaling(draft.deployment, replicaSets)) await resize(draft, change, context);
  const { deployment } = draft;
  if (deployment.spec?.paused && rollbackTo(deployment) === undefined) {
    await deleteReplicaSets(planCleanup(deployment, replicaSets.old), context);
  }
  await writeStatus(draft, replicaSets, context);
}
