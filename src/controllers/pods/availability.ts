import { isPodReady, podAvailableInMs } from "../../rules/mod.ts";
import { type KubeObject, objectKey, type Pod } from "../../api/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";

/**
 * How long until the next pod becomes available: a safety net for a controller whose timer was lost.
 * Upstream: `pkg/controller/controller_utils.go` (FindMinNextPodAvailabilityCheck).
 *
 * @param options.evaluatedAtMs The wall clock when the owner's status was computed.
 * @param options.nowMs The wall clock now; the result counts from it.
 * @returns Milliseconds, at least 0; `undefined` if no pod was about to become available.
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

/** The last check of an owner's pods. */
export interface AvailabilityCheck {
  readonly pods: readonly Pod[];
  /** For how long the owner wants a pod to be ready before it counts as available. */
  readonly minReadySeconds: number | undefined;
  readonly status: { readonly readyReplicas?: number; readonly availableReplicas?: number } | undefined;
  /** The wall clock when the status was computed. */
  readonly evaluatedAtMs: number;
  /** The wall clock now. */
  readonly nowMs: number;
}

/**
 * Queues an owner for the time at which its next pod becomes available. Every sync does so, because timers are lost
 * when another leader takes over or a key is queued again earlier.
 */
export function queueNextAvailability(
  queue: Pick<WorkQueue, "addAfter">,
  key: string,
  { pods, minReadySeconds = 0, status, evaluatedAtMs, nowMs }: AvailabilityCheck,
): void {
  if (minReadySeconds <= 0 || (status?.readyReplicas ?? 0) === (status?.availableReplicas ?? 0)) return;
  const delayMs = nextAvailabilityCheckMs(pods, { minReadySeconds, evaluatedAtMs, nowMs });
  queue.addAfter(key, delayMs ?? minReadySeconds * 1000, { due: "minReadySeconds passed" });
}

/** A change of a pod, and its owner. */
export interface PodUpdate {
  readonly owner: KubeObject;
  /** For how long the owner wants a pod to be ready before it counts as available. */
  readonly minReadySeconds: number | undefined;
  readonly before: Pod;
  readonly pod: Pod;
  /** How long after the expected time to check. */
  readonly delayMs?: number;
}

/**
 * When a pod becomes ready, queues its owner for the time at which the pod becomes available, because no event
 * announces that.
 */
export function queueWhenAvailable(
  queue: Pick<WorkQueue, "addAfter">,
  { owner, minReadySeconds = 0, before, pod, delayMs = 0 }: PodUpdate,
): void {
  if (minReadySeconds <= 0 || isPodReady(before) || !isPodReady(pod)) return;
  queue.addAfter(objectKey(owner), minReadySeconds * 1000 + delayMs, {
    due: `minReadySeconds of pod/${objectKey(pod)} passed`,
  });
}
