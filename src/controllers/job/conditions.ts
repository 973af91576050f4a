import { findCondition, formatTime, type JobCondition } from "../../api/mod.ts";

/** The content of a condition. */
export type Statement = Pick<JobCondition, "type" | "status" | "reason" | "message">;

/** Types of conditions. */
export const CONDITION = {
  suspended: "Suspended",
  complete: "Complete",
  failed: "Failed",
  /** The Job will fail; its pods are being ended. */
  failureTarget: "FailureTarget",
  /** The Job will be complete; its pods are being ended. */
  successCriteriaMet: "SuccessCriteriaMet",
} as const;

export function newCondition(statement: Statement, nowMs: number): JobCondition {
  const now = formatTime(nowMs);
  return { ...statement, lastProbeTime: now, lastTransitionTime: now };
}

/**
 * The conditions with `statement`. Repeating a condition changes nothing, nor does setting an absent one to `False`.
 * Upstream: `pkg/controller/job/job_controller.go` (ensureJobConditionStatus).
 *
 * @returns `undefined` if nothing changes.
 */
export function ensureCondition(
  conditions: readonly JobCondition[] | undefined,
  statement: Statement,
  nowMs: number,
): JobCondition[] | undefined {
  const before = findCondition(conditions, statement.type);
  if (!before) {
    return statement.status === "False" ? undefined : [...conditions ?? [], newCondition(statement, nowMs)];
  }
  const isSame = before.status === statement.status && (before.reason ?? "") === (statement.reason ?? "") &&
    (before.message ?? "") === (statement.message ?? "");
  if (isSame) return undefined;
  return conditions!.map((condition) => condition === before ? newCondition(statement, nowMs) : condition);
}

/** The condition of this type, if it is true. */
export function trueCondition(
  conditions: readonly JobCondition[] | undefined,
  type: string,
): JobCondition | undefined {
  const condition = findCondition(conditions, type);
  return condition?.status === "True" ? condition : undefined;
}
