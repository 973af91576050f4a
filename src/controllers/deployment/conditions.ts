import { type DeploymentCondition, findCondition, formatTime } from "../../api/mod.ts";

export const AVAILABLE = "Available";
export const PROGRESSING = "Progressing";
export const REPLICA_FAILURE = "ReplicaFailure";

/** Reasons of the condition `Progressing`; tools such as `kubectl rollout status` act on them. */
export const REASON = {
  replicaSetUpdated: "ReplicaSetUpdated",
  replicaSetCreateError: "ReplicaSetCreateError",
  newReplicaSetCreated: "NewReplicaSetCreated",
  foundNewReplicaSet: "FoundNewReplicaSet",
  newReplicaSetAvailable: "NewReplicaSetAvailable",
  timedOut: "ProgressDeadlineExceeded",
  paused: "DeploymentPaused",
  resumed: "DeploymentResumed",
} as const;

/** The content of a new condition. */
export interface Statement {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** A condition with this content, as of now. */
export function newCondition(statement: Statement, nowMs: number): DeploymentCondition {
  const now = formatTime(nowMs);
  return { ...statement, lastUpdateTime: now, lastTransitionTime: now };
}

/**
 * The list with `condition` at its end, replacing the one of its type; unchanged if that one has the same status and
 * reason. The transition time is kept if the status is.
 * Upstream: `pkg/controller/deployment/util` (SetDeploymentCondition).
 */
export function setCondition(
  conditions: readonly DeploymentCondition[] | undefined,
  condition: DeploymentCondition,
): DeploymentCondition[] {
  const existing = findCondition(conditions, condition.type);
  if (existing?.status === condition.status && existing.reason === condition.reason) return [...conditions!];
  const lastTransitionTime = existing?.status === condition.status
    ? existing.lastTransitionTime
    : condition.lastTransitionTime;
  return [...removeCondition(conditions, condition.type), { ...condition, lastTransitionTime }];
}

/** The list without the conditions of this type. */
export function removeCondition(
  conditions: readonly DeploymentCondition[] | undefined,
  type: string,
): DeploymentCondition[] {
  return conditions?.filter((condition) => condition.type !== type) ?? [];
}
