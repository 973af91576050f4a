import type { PodCondition, PodStatus } from "../../api/mod.ts";
import { deepEqual } from "../../base/mod.ts";

/** Fields that a kubelet clears when they no longer apply. */
const CLEARED = ["reason", "message"] as const;

/**
 * The strategic merge patch from a pod's status to its kubelet's version; `undefined` if they are equal. Conditions of
 * others are left alone. Upstream: `pkg/util/pod/pod.go` (PatchPodStatus).
 *
 * @param before The present status, or the last one written.
 */
export function statusPatch(uid: string | undefined, before: PodStatus, after: PodStatus): object | undefined {
  const changes: Record<string, unknown> = {};
  const old: Readonly<Record<string, unknown>> = { ...before };
  for (const [key, value] of Object.entries(after)) {
    if (key !== "conditions" && !deepEqual(old[key], value)) changes[key] = value;
  }
  for (const key of CLEARED) if (before[key] && !after[key]) changes[key] = null;
  const conditions = changedConditions(before.conditions ?? [], after.conditions ?? []);
  if (conditions.length > 0) {
    changes.conditions = conditions;
    changes["$setElementOrder/conditions"] = [
      ...(after.conditions ?? []).map(({ type }) => ({ type })),
      ...foreign(before.conditions ?? [], after.conditions ?? []).map(({ type }) => ({ type })),
    ];
  }
  return Object.keys(changes).length > 0 ? { metadata: { uid }, status: changes } : undefined;
}

function changedConditions(before: readonly PodCondition[], after: readonly PodCondition[]): object[] {
  return after.flatMap((condition) => {
    const old = before.find(({ type }) => type === condition.type);
    if (old && sameCondition(old, condition)) return [];
    const cleared = CLEARED.filter((key) => old?.[key] && !condition[key]).map((key) => [key, null]);
    return [{ ...condition, ...Object.fromEntries(cleared) }];
  });
}

function sameCondition(a: PodCondition, b: PodCondition): boolean {
  return a.status === b.status && (a.reason ?? "") === (b.reason ?? "") && (a.message ?? "") === (b.message ?? "") &&
    a.lastTransitionTime === b.lastTransitionTime && a.observedGeneration === b.observedGeneration;
}

function foreign(before: readonly PodCondition[], after: readonly PodCondition[]): readonly PodCondition[] {
  return before.filter(({ type }) => !after.some((condition) => condition.type === type));
}

export function patched(before: PodStatus, after: PodStatus): PodStatus {
  const { reason: _reason, message: _message, ...rest } = before;
  const conditions = [...after.conditions ?? [], ...foreign(before.conditions ?? [], after.conditions ?? [])];
  return { ...rest, ...after, conditions };
}
