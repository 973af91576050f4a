import { type Pod } from "../../api/mod.ts";
import { podAvailableInMs } from "../../rules/mod.ts";

/**
 * How long until the next of the pods becomes available: the last line of defence for a controller whose timer got
 * lost.
 * Upstream: `pkg/controller/controller_utils.go` (FindMinNextPodAvailabilityCheck).
 *
 * @param options.evaluatedAtMs The wall clock when the owner's status was computed.
 * @param options.nowMs The wall clock now, which the result counts from.
 * @returns Milliseconds, at least 0; `undefined` if no pod was on its way to become available.
 */
export function nextAvailabilityCheckMs(
  pods: readonly Pod[],
  { minReadySeconds, evaluatedAtMs, nowMs }: { minReadySeconds: number; evaluatedAtMs: number; nowMs: number },
): number | undefined {
  let soonestMs: number | undefined;
  for (const pod of pods) {
    const inMs = podAvailableInMs(pod, minReadySeconds, evaluatedAtMs);
    if (inMs !== undefined && inMs > 0 && (soonestMs === undefined || inMs < soonestMs)) soonestMs = inMs;
  }
  return soonestMs === undefined ? undefined : Math.max(0, soonestMs - (nowMs - evaluatedAtMs));
}
