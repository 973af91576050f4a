/**
 * The first condition of this type, as every kind's status keeps them.
 *
 * @example
 * ```ts
 * import { findCondition } from "kubeloop/api";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(findCondition([{ type: "Ready", status: "True" }], "Ready")?.status, "True");
 * ```
 */
export function findCondition<C extends { readonly type: string }>(
  conditions: readonly C[] | null | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether the first condition of this type has status `True`. */
export function isConditionTrue(
  conditions: readonly { readonly type: string; readonly status: string }[] | null | undefined,
  type: string,
): boolean {
  return findCondition(conditions, type)?.status === "True";
}
