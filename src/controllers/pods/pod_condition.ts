import { findCondition, formatTime, type PodCondition } from "../../api/mod.ts";

/** What a pod's condition says. */
export type PodStatement = Pick<PodCondition, "type" | "status" | "reason" | "message" | "observedGeneration">;

/** Type of the condition of a pod that somebody means to end for the cluster's sake. */
export const DISRUPTION_TARGET = "DisruptionTarget";

/**
 * A pod's conditions with what `statement` says, in its old place or at the end. The time of transition moves only with the
 * status; a reason or message that is not said again is gone.
 * Upstream: `pkg/api/v1/pod/util.go` (UpdatePodCondition).
 *
 * @param nowMs The wall clock.
 *
 * @example
 * ```ts
 * import { withPodCondition } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const before = [{ type: "Ready", status: "True", reason: "Up", lastTransitionTime: "2026-01-01T00:00:00Z" }];
 * const [after] = withPodCondition(before, { type: "Ready", status: "False" }, Date.UTC(2026, 0, 2));
 * assertEquals(after, { type: "Ready", status: "False", lastTransitionTime: "2026-01-02T00:00:00Z" });
 * ```
 */
export function withPodCondition(
  conditions: readonly PodCondition[] | undefined,
  statement: PodStatement,
  nowMs: number,
): PodCondition[] {
  const before = findCondition(conditions, statement.type);
  const isSame = before?.status === statement.status;
  const condition = { ...statement, lastTransitionTime: isSame ? before.lastTransitionTime : formatTime(nowMs) };
  if (!before) return [...conditions ?? [], condition];
  return conditions!.map((other) => other === before ? condition : other);
}
