import { type ContainerStatus, parseTime, type Pod } from "../../api/mod.ts";
import { getPodCondition } from "../../rules/mod.ts";
import { allIndexFailures } from "./job_pods.ts";

/** A Job's failures since its last success. Kept in memory only: another manager starts without a delay. */
export interface Backoff {
  readonly failures: number;
  /** The time of the last one, in milliseconds since 1970. */
  readonly lastFailureMs: number;
}

/** No failure yet, or a success since. */
export const NO_BACKOFF: Backoff = { failures: 0, lastFailureMs: 0 };

/** After the first failure; it doubles with each one that follows. */
const FIRST_DELAY_MS = 10_000;
const LONGEST_DELAY_MS = 600_000;

/**
 * The failures since the last success, given those before and the pods that have ended since.
 * Upstream: `pkg/controller/job/backoff_utils.go` (newBackoffRecord).
 */
export function nextBackoff(before: Backoff, succeeded: readonly Pod[], failed: readonly Pod[]): Backoff {
  if (failed.length === 0) return succeeded.length === 0 ? before : NO_BACKOFF;
  const failures = byFinishTime(failed);
  const lastFailureMs = failures.at(-1)!;
  if (succeeded.length === 0) return { failures: before.failures + failures.length, lastFailureMs };
  const lastSuccessMs = byFinishTime(succeeded).at(-1)!;
  const since = failures.filter((atMs) => atMs > lastSuccessMs).length;
  return since === 0 ? NO_BACKOFF : { failures: since, lastFailureMs };
}

/** How long, in milliseconds, no pod may be created yet; 0 if one may. */
export function remainingBackoffMs({ failures, lastFailureMs }: Backoff, nowMs: number): number {
  if (failures === 0) return 0;
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS);
  return Math.max(0, delayMs - (nowMs - lastFailureMs));
}

/** How long no pod may be created for an index yet, given its last failed pod. */
export function remainingIndexBackoffMs(lastFailed: Pod | undefined, nowMs: number): number {
  if (!lastFailed) return 0;
  return remainingBackoffMs(
    { failures: allIndexFailures(lastFailed) + 1, lastFailureMs: finishedAtMs(lastFailed) },
    nowMs,
  );
}

/**
 * When the pod ended, in milliseconds since 1970, as precisely as known: when its last container ended; failing that,
 * when it stopped being ready, when its deletion was requested, or when it was created.
 * Upstream: `pkg/controller/job/backoff_utils.go` (getFinishedTime).
 */
export function finishedAtMs(pod: Pod): number {
  return lastContainerEndMs(pod) ?? notReadySinceMs(pod) ?? deletedAtMs(pod) ??
    timeMs(pod.metadata?.creationTimestamp) ?? 0;
}

/** The pods' end times in order. */
function byFinishTime(pods: readonly Pod[]): readonly number[] {
  return pods.map(finishedAtMs).sort((a, b) => a - b);
}

/**
 * `undefined` unless all containers, sidecars included, have ended. As upstream, if another container still runs, only
 * the sidecars count.
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
