import { isPodReady, podAvailableInMs } from "../../rules/mod.ts";
import { type KubeObject, objectKey, type Pod } from "../../api/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";

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

/** What was found out of an owner's pods, and when. */
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
 * Queues an owner for when its next pod becomes available. Timers get lost when another leader takes over or a key is queued
 * again earlier; this one is set in every sync.
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

/** What happened to a pod, and whose it is. */
export interface PodUpdate {
  readonly owner: KubeObject;
  /** For how long the owner wants a pod to be ready before it counts as available. */
  readonly minReadySeconds: number | undefined;
  readonly before: Pod;
  readonly pod: Pod;
  /** How much later to look than the pod should become available. */
  readonly delayMs?: number;
}

/** Queues the owner of a pod that has just become ready for when it will be available, since no event tells of that. */
export function queueWhenAvailable(
  queue: Pick<WorkQueue, "addAfter">,
  { owner, minReadySeconds = 0, before, pod, delayMs = 0 }: PodUpdate,
): void {
  if (minReadySeconds <= 0 || isPodReady(before) || !isPodReady(pod)) return;
  queue.addAfter(objectKey(owner), minReadySeconds * 1000 + delayMs, {
    due: `minReadySeconds of pod/${objectKey(pod)} passed`,
  });
}
