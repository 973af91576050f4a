import { type ContainerStatus, parseTime, type Pod } from "../../api/mod.ts";
import { getPodCondition } from "../../rules/mod.ts";

/**
 * When the pod ended, as well as can be told, in milliseconds since 1970: when the last of its containers did, else when it
 * ceased to be ready, else when it was asked to go, else when it was created.
 * Upstream: `pkg/controller/job/backoff_utils.go` (getFinishedTime).
 */
export function finishedAtMs(pod: Pod): number {
  return lastContainerEndMs(pod) ?? notReadySinceMs(pod) ?? deletedAtMs(pod) ??
    timeMs(pod.metadata?.creationTimestamp) ?? 0;
}

/** The pods with when they ended, those that ended first in front. */
export function byFinishTime(pods: readonly Pod[]): readonly number[] {
  return pods.map(finishedAtMs).sort((a, b) => a - b);
}

/**
 * `undefined` unless all containers, sidecars included, have ended. As upstream, where another container runs on, the sidecars are
 * asked alone.
 */
function lastContainerEndMs({ spec, status }: Pod): number | undefined {
  const isSidecar = ({ name }: ContainerStatus) =>
    spec?.initContainers?.some((container) => container.name === name && container.restartPolicy === "Always");
  const lastMs = lastEndMs(status?.containerStatuses);
  return lastEndMs(status?.initContainerStatuses?.filter(isSidecar), lastMs);
}

/** The latest of `sinceMs` and the ends of these containers; `undefined` if one has not ended. */
function lastEndMs(containers: readonly ContainerStatus[] = [], sinceMs?: number): number | undefined {
  let lastMs = sinceMs;
  for (const { state } of containers) {
    const endMs = timeMs(state?.terminated?.finishedAt);
    if (endMs === undefined) return undefined;
    lastMs = Math.max(lastMs ?? endMs, endMs);
  }
  return lastMs;
}

function notReadySinceMs(pod: Pod): number | undefined {
  const ready = getPodCondition(pod, "Ready");
  return ready?.status === "False" ? timeMs(ready.lastTransitionTime) : undefined;
}

function deletedAtMs({ metadata }: Pod): number | undefined {
  const atMs = timeMs(metadata?.deletionTimestamp);
  return atMs === undefined ? undefined : atMs - (metadata?.deletionGracePeriodSeconds ?? 0) * 1000;
}

function timeMs(text: string | null | undefined): number | undefined {
  return text ? parseTime(text) : undefined;
}
