import { deepEqual } from "../../base/mod.ts";
import {
  type Condition,
  findCondition,
  type PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
} from "../../api/mod.ts";
import { withCondition } from "../running/mod.ts";
import type { DisruptedPods } from "./disrupted_pods.ts";
import type { Expectation } from "./expectation.ts";

const DISRUPTION_ALLOWED = "DisruptionAllowed";

/** Figures about a budget's pods, and its demands. */
export interface Figures extends Expectation {
  readonly currentHealthy: number;
  readonly disruptedPods: DisruptedPods;
}

/** The content of the condition. */
type Statement = Pick<Condition, "type" | "status" | "reason" | "message" | "observedGeneration">;

/**
 * The new status of a budget. The eviction subresource uses it: a pod may be evicted if `disruptionsAllowed` is not 0
 * and `observedGeneration` is the budget's.
 * Upstream: `pkg/controller/disruption/disruption.go` (updatePdbStatus).
 *
 * @param nowMs The wall clock.
 * @returns `undefined` if it has that status already.
 */
export function nextStatus(
  { metadata, status: before = {} }: PodDisruptionBudget,
  figures: Figures,
  nowMs: number,
): PodDisruptionBudgetStatus | undefined {
  const { currentHealthy, desiredHealthy, expectedPods, disruptedPods } = figures;
  const spare = currentHealthy - desiredHealthy;
  // Without expected pods nothing is allowed: the first ones may exist before this controller has seen them.
  const disruptionsAllowed = expectedPods > 0 && spare > 0 ? spare : 0;
  const observedGeneration = metadata?.generation ?? 0;
  const counts = { currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed, observedGeneration };
  const isSame =
    Object.entries(counts).every(([name, count]) => (before[name as keyof typeof counts] ?? 0) === count) &&
    deepEqual(before.disruptedPods ?? {}, disruptedPods);
  const statement = statementOf(disruptionsAllowed, observedGeneration);
  if (isSame && isSaid(before.conditions, statement)) return undefined;
  return { ...counts, disruptedPods, conditions: withCondition(before.conditions, statement, nowMs) };
}

/**
 * The status of a budget whose allowance cannot be computed: none, with the reason. Everything else stays.
 * Upstream: `pkg/controller/disruption/disruption.go` (failSafe).
 *
 * @param why The text of the error.
 * @param nowMs The wall clock.
 */
export function failSafeStatus(
  { status: before = {} }: PodDisruptionBudget,
  why: string,
  nowMs: number,
): PodDisruptionBudgetStatus {
  const { observedGeneration } = before;
  const statement = {
    type: DISRUPTION_ALLOWED,
    status: "False",
    reason: "SyncFailed",
    message: why,
    observedGeneration,
  };
  return { ...before, disruptionsAllowed: 0, conditions: withCondition(before.conditions, statement, nowMs) };
}

function statementOf(disruptionsAllowed: number, observedGeneration: number): Statement {
  const [status, reason] = disruptionsAllowed > 0 ? ["True", "SufficientPods"] : ["False", "InsufficientPods"];
  return { type: DISRUPTION_ALLOWED, status, reason, message: "", observedGeneration };
}

function isSaid(conditions: readonly Condition[] | undefined, { status, reason }: Statement): boolean {
  const condition = findCondition(conditions, DISRUPTION_ALLOWED);
  return condition?.status === status && condition.reason === reason;
}
