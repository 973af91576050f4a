import type { Pod, PodStatus } from "../../api/mod.ts";
import { isPodTerminal } from "../../rules/mod.ts";

/** What the functions of this file read of a pod. */
export const STATE_FIELDS_OF_PODS = [
  "status.phase",
  "status.initContainerStatuses.state",
  "status.containerStatuses.state",
  "status.ephemeralContainerStatuses.state",
];

/**
 * Whether a pod no longer needs its volumes: it has ended, or is being deleted and none of its containers runs.
 * Upstream: `pkg/volume/util` (IsPodTerminated).
 */
export function isVolumeTerminated(pod: Pod): boolean {
  const { initContainerStatuses, containerStatuses, ephemeralContainerStatuses } = pod.status ?? {};
  return isPodTerminal(pod) || Boolean(pod.metadata?.deletionTimestamp) &&
      [initContainerStatuses, containerStatuses, ephemeralContainerStatuses].every(doNotRun);
}

function doNotRun(statuses: PodStatus["containerStatuses"] = []): boolean {
  return statuses.every(({ state }) => state?.terminated || state?.waiting);
}

/**
 * Whether the kubelet is done with a pod or not involved: it only waits to be removed. Its finalizers may be waiting
 * for its claims.
 */
export function isShutDown({ metadata }: Pod): boolean {
  return Boolean(metadata?.deletionTimestamp) && metadata?.deletionGracePeriodSeconds === 0;
}
