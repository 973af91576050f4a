import { findCondition, parseTime, type Pod, type PodCondition } from "../api/mod.ts";

/** The pod's first condition of this type. */
export function getPodCondition(pod: Pod, type: string): PodCondition | undefined {
  return findCondition(pod.status?.conditions, type);
}

/** Whether the pod's `Ready` condition is true. Upstream: `pkg/api/v1/pod/util.go` (IsPodReady). */
export function isPodReady(pod: Pod): boolean {
  return getPodCondition(pod, "Ready")?.status === "True";
}

/**
 * Whether the pod has been ready for at least `minReadySeconds`, inclusive.
 * Upstream: `pkg/api/v1/pod/util.go` (IsPodAvailable).
 *
 * @param nowMs The wall clock, in milliseconds.
 */
export function isPodAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  if (!isPodReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = getPodCondition(pod, "Ready")?.lastTransitionTime;
  return Boolean(since) && parseTime(since!) + minReadySeconds * 1000 <= nowMs;
}

/**
 * How long until a ready pod becomes available, in milliseconds; 0 or less if it is available already. `undefined` if
 * it is not ready, `minReadySeconds` is 0, or the time when it became ready is unknown.
 */
export function podAvailableInMs(pod: Pod, minReadySeconds: number, nowMs: number): number | undefined {
  if (minReadySeconds === 0 || !isPodReady(pod)) return undefined;
  const since = getPodCondition(pod, "Ready")?.lastTransitionTime;
  return since ? parseTime(since) + minReadySeconds * 1000 - nowMs : undefined;
}

/** Whether the pod has finished: phase `Succeeded` or `Failed`. */
export function isPodTerminal(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return phase === "Succeeded" || phase === "Failed";
}

/** Whether the pod counts as running: neither finished nor being deleted. */
export function isPodActive(pod: Pod): boolean {
  return !isPodTerminal(pod) && !pod.metadata?.deletionTimestamp;
}

/** Whether the pod is being deleted and has not finished yet. */
export function isPodTerminating(pod: Pod): boolean {
  return !isPodTerminal(pod) && Boolean(pod.metadata?.deletionTimestamp);
}
