import {
  type Pod,
  type PodDisruptionBudget,
  PODDISRUPTIONBUDGETS,
  type PodDisruptionBudgetStatus,
  PODS,
} from "../../api/mod.ts";
import { DISRUPTION_TARGET } from "../pods/mod.ts";
import { withCondition } from "../running/mod.ts";
import type { DisruptionContext } from "./context.ts";

/**
 * Written with the resource version that was read, so that a concurrent write of the eviction subresource causes a
 * conflict.
 */
export async function writeStatus(
  budget: PodDisruptionBudget,
  status: PodDisruptionBudgetStatus,
  { client }: DisruptionContext,
): Promise<void> {
  await client.updateStatus(PODDISRUPTIONBUDGETS, { ...budget, status });
}

/** Resets a pod's disruption condition. */
export async function resetDisruptionTarget(
  pod: Pod,
  { world: { clock }, client }: Pick<DisruptionContext, "world" | "client">,
): Promise<void> {
  const statement = { type: DISRUPTION_TARGET, status: "False", observedGeneration: pod.metadata?.generation };
  const conditions = withCondition(pod.status?.conditions, statement, clock.wallMs());
  await client.updateStatus(PODS, { ...pod, status: { ...pod.status, conditions } });
}
