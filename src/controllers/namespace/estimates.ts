import type { Pod } from "../../api/mod.ts";

/** How long finalizers are expected to take, in seconds: enough for garbage collection. */
export const FINALIZER_ESTIMATE_SECONDS = 15;

/**
 * How many seconds pods may still take to stop: the longest grace of those that have not ended, or 0 if the namespace
 * has been in deletion for that long already.
 */
export function podGraceEstimateSeconds(
  pods: readonly Pod[],
  { deletedAtMs, nowMs }: { deletedAtMs: number; nowMs: number },
): number {
  const graces = pods
    .filter(({ status }) => status?.phase !== "Succeeded" && status?.phase !== "Failed")
    .map(({ spec }) => spec?.terminationGracePeriodSeconds ?? 0);
  const estimate = Math.max(0, ...graces);
  return nowMs - deletedAtMs >= estimate * 1000 ? 0 : estimate;
}

/** When to look at a namespace again whose content needs `estimateSeconds` to go. */
export function requeueDelayMs(estimateSeconds: number): number {
  return (Math.floor(estimateSeconds / 2) + 1) * 1000;
}
