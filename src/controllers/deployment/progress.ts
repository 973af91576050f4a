import {
  type Deployment,
  type DeploymentCondition,
  type DeploymentStatus,
  findCondition,
  parseTime,
  type ReplicaSetCondition,
} from "../../api/mod.ts";
import { progressDeadlineSeconds } from "./bounds.ts";
import { newCondition, PROGRESSING, REASON, removeCondition, REPLICA_FAILURE, setCondition } from "./conditions.ts";
import { allOf, type ReplicaSets } from "./replica_sets.ts";
import { calculateStatus, isComplete } from "./status.ts";

/**
 * The status during a rollout: {@link calculateStatus}, plus whether the rollout is progressing, complete or stuck, and
 * whether a ReplicaSet cannot create its pods. Upstream: `pkg/controller/deployment/progress.go` (syncRolloutStatus).
 *
 * @param nowMs The wall clock.
 */
export function rolloutStatus(deployment: Deployment, replicaSets: ReplicaSets, nowMs: number): DeploymentStatus {
  const status = calculateStatus(deployment, replicaSets, nowMs);
  const progressed = withProgress(deployment, status, { replicaSets, nowMs });
  return { ...status, conditions: withReplicaFailure(progressed, replicaSets) };
}

/** When to check again whether a rollout without progress has passed its deadline. */
export type ProgressCheck =
  | { readonly when: "never" }
  | { readonly when: "rateLimited" }
  | { readonly when: "after"; readonly delayMs: number };

/**
 * Plans the next check of a Deployment whose status did not change.
 * Upstream: `pkg/controller/deployment/progress.go` (requeueStuckDeployment).
 */
export function planProgressCheck(deployment: Deployment, status: DeploymentStatus, nowMs: number): ProgressCheck {
  const deadline = progressDeadlineSeconds(deployment);
  const current = findCondition(deployment.status?.conditions, PROGRESSING);
  if (deadline === undefined || !current) return { when: "never" };
  if (isComplete(deployment, status) || current.reason === REASON.timedOut) return { when: "never" };
  const leftMs = updatedAtMs(current) + deadline * 1000 - nowMs;
  // Plus one second, because the condition's time is truncated to whole seconds.
  return leftMs < 1000 ? { when: "rateLimited" } : { when: "after", delayMs: leftMs + 1000 };
}

function withProgress(
  deployment: Deployment,
  status: DeploymentStatus,
  { replicaSets: { current }, nowMs }: { readonly replicaSets: ReplicaSets; readonly nowMs: number },
): DeploymentCondition[] {
  const conditions = status.conditions ?? [];
  const deadline = progressDeadlineSeconds(deployment);
  if (deadline === undefined) return removeCondition(conditions, PROGRESSING);
  const existing = findCondition(deployment.status?.conditions, PROGRESSING);
  // Once it is complete, a restarting pod is not a rollout.
  const hasArrived = (status.replicas ?? 0) === (status.updatedReplicas ?? 0) &&
    existing?.reason === REASON.newReplicaSetAvailable;
  if (hasArrived) return conditions;

  const subject = current ? `ReplicaSet "${current.metadata?.name}"` : `Deployment "${deployment.metadata?.name}"`;
  const progressing = (status: "True" | "False", reason: string, what: string) =>
    newCondition({ type: PROGRESSING, status, reason, message: `${subject} ${what}` }, nowMs);
  if (isComplete(deployment, status)) {
    const condition = progressing("True", REASON.newReplicaSetAvailable, "has successfully progressed.");
    return setCondition(conditions, condition);
  }
  if (hasProgressed(deployment.status, status)) {
    // Replaced even if it is equal, because the deadline counts from its update time.
    const condition = progressing("True", REASON.replicaSetUpdated, "is progressing.");
    const lastTransitionTime = existing?.status === "True" ? existing.lastTransitionTime : condition.lastTransitionTime;
    return [...removeCondition(conditions, PROGRESSING), { ...condition, lastTransitionTime }];
  }
  if (hasTimedOut(existing, deadline, nowMs)) {
    return setCondition(conditions, progressing("False", REASON.timedOut, "has timed out progressing."));
  }
  return conditions;
}

/** More updated, ready or available pods than before, or fewer old ones. */
function hasProgressed(before: DeploymentStatus | undefined, after: DeploymentStatus): boolean {
  const rose = (name: "updatedReplicas" | "readyReplicas" | "availableReplicas") =>
    (after[name] ?? 0) > (before?.[name] ?? 0);
  const oldPods = (status: DeploymentStatus | undefined) => (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0);
  return rose("updatedReplicas") || oldPods(after) < oldPods(before) || rose("readyReplicas") ||
    rose("availableReplicas");
}

function hasTimedOut(existing: DeploymentCondition | undefined, deadlineSeconds: number, nowMs: number): boolean {
  // Without a condition there is nothing to count from; a completed one may be older than the rollout that starts now.
  if (!existing || existing.reason === REASON.newReplicaSetAvailable) return false;
  return existing.reason === REASON.timedOut || updatedAtMs(existing) + deadlineSeconds * 1000 < nowMs;
}

function withReplicaFailure(conditions: DeploymentCondition[], replicaSets: ReplicaSets): DeploymentCondition[] {
  const { current } = replicaSets;
  const failures = [...current ? [current] : [], ...allOf(replicaSets)]
    .map((replicaSet) => findCondition(replicaSet.status?.conditions, REPLICA_FAILURE));
  const failure = failures.find((condition) => condition !== undefined);
  return failure
    ? setCondition(conditions, conditionOfReplicaSet(failure))
    : removeCondition(conditions, REPLICA_FAILURE);
}

function conditionOfReplicaSet({ type, status, reason, message, lastTransitionTime }: ReplicaSetCondition) {
  return { type, status, reason, message, lastTransitionTime, lastUpdateTime: lastTransitionTime };
}

function updatedAtMs(condition: DeploymentCondition): number {
  return condition.lastUpdateTime ? parseTime(condition.lastUpdateTime) : 0;
}
