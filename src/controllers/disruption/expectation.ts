import { type PodDisruptionBudgetSpec, scaledValue } from "../../api/mod.ts";

/** What a budget demands. */
export interface Expectation {
  /** Pods that there should be. */
  readonly expectedPods: number;
  /** How many of them must be healthy. */
  readonly desiredHealthy: number;
}

/** Whether the demand depends on how many pods the owners of the pods want. */
export function dependsOnScale({ minAvailable, maxUnavailable }: PodDisruptionBudgetSpec): boolean {
  return maxUnavailable !== undefined || typeof minAvailable === "string";
}

/**
 * What a budget demands. Upstream: `pkg/controller/disruption/disruption.go` (getExpectedPodCount).
 *
 * @param count The pods it selects or, if it {@link dependsOnScale}, how many their owners want.
 * @throws {Error} If a value is neither an integer nor a percentage.
 *
 * @example
 * ```ts
 * import { expectationOf } from "./expectation.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(expectationOf({ maxUnavailable: "30%" }, 7), { expectedPods: 7, desiredHealthy: 4 });
 * assertEquals(expectationOf({ minAvailable: 3 }, 0), { expectedPods: 0, desiredHealthy: 3 });
 * ```
 */
export function expectationOf({ minAvailable, maxUnavailable }: PodDisruptionBudgetSpec, count: number): Expectation {
  if (maxUnavailable !== undefined) {
    const unavailable = scaledValue(maxUnavailable, count, { roundUp: true });
    return { expectedPods: count, desiredHealthy: Math.max(0, count - unavailable) };
  }
  if (minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 };
  return { expectedPods: count, desiredHealthy: scaledValue(minAvailable, count, { roundUp: true }) };
}
