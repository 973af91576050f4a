import { findCondition, formatTime } from "../../api/mod.ts";

/** The fields that all kinds' conditions share. */
interface AnyCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
}

/**
 * The conditions with `statement` in place of the one of its type, or at the end. The transition time changes only if
 * the status does; fields that `statement` lacks are dropped. Upstream: `pkg/api/v1/pod/util.go` (UpdatePodCondition),
 * and most others. Conditions of Deployments and Jobs keep rules of their own.
 *
 * @param nowMs The wall clock.
 *
 * @example
 * ```ts
 * import { withCondition } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const before = [{ type: "Ready", status: "True", reason: "Up", lastTransitionTime: "2026-01-01T00:00:00Z" }];
 * const [after] = withCondition(before, { type: "Ready", status: "False", reason: "Down" }, Date.UTC(2026, 0, 2));
 * assertEquals(after, { type: "Ready", status: "False", reason: "Down", lastTransitionTime: "2026-01-02T00:00:00Z" });
 * ```
 */
export function withCondition<C extends AnyCondition>(
  conditions: readonly C[] | undefined,
  statement: Omit<C, "lastTransitionTime">,
  nowMs: number,
): C[] {
  const before = findCondition(conditions, statement.type);
  const isSame = before?.status === statement.status;
  const lastTransitionTime = isSame ? before.lastTransitionTime : formatTime(nowMs);
  // A statement is a whole condition except for this field, which the compiler cannot infer for a generic type.
  const condition = { ...statement, lastTransitionTime } as unknown as C;
  if (!before) return [...conditions ?? [], condition];
  return conditions!.map((other) => other === before ? condition : other);
}
