import type { StatefulSet } from "../../api/mod.ts";

/** How many pods the set wants. */
export function replicasOf({ spec }: StatefulSet): number {
  return spec?.replicas ?? 1;
}

/** The number of the set's first pod. */
export function startOrdinal({ spec }: StatefulSet): number {
  return spec?.ordinals?.start ?? 0;
}

/** Whether each pod waits for the one before it. */
export function isOrdered({ spec }: StatefulSet): boolean {
  return spec?.podManagementPolicy !== "Parallel";
}

/** Whether the set wants a pod with this number. */
export function isInRange(set: StatefulSet, ordinal: number): boolean {
  const start = startOrdinal(set);
  return ordinal >= start && ordinal < start + replicasOf(set);
}
