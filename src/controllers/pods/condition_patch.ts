import type { Pod, PodCondition } from "../../api/mod.ts";
import { withCondition } from "../running/mod.ts";

const CONDITION_FIELDS = ["status", "reason", "message", "observedGeneration", "lastTransitionTime"] as const;

/**
 * The part of a strategic merge patch that gives a pod's status a condition. It holds changed fields only, and is empty
 * if the pod has the condition already. Upstream: `pkg/util/pod/pod.go` (PatchPodStatus).
 *
 * @param statement The condition, which is about the pod's current generation.
 * @param nowMs The wall clock.
 */
export function podConditionPatch(
  { metadata, status }: Pod,
  statement: Omit<PodCondition, "lastTransitionTime" | "observedGeneration">,
  nowMs: number,
): Record<string, unknown> {
  const { type } = statement;
  const stated = { ...statement, observedGeneration: metadata?.generation };
  const conditions = withCondition(status?.conditions, stated, nowMs);
  const at = conditions.findIndex((condition) => condition.type === type);
  const changes = changedFields(status?.conditions?.[at], conditions[at]);
  if (Object.keys(changes).length === 0) return {};
  return {
    "$setElementOrder/conditions": conditions.map((condition) => ({ type: condition.type })),
    conditions: [{ type, ...changes }],
  };
}

function changedFields(before: PodCondition | undefined, after: PodCondition): Record<string, unknown> {
  return Object.fromEntries(
    CONDITION_FIELDS.filter((field) => before?.[field] !== after[field]).map((field) => [field, after[field]]),
  );
}
