import { isPodActive, isPodReady, isPodTerminating } from "../../rules/mod.ts";
import { type Job, type Pod } from "../../api/mod.ts";
import { finishedAtMs } from "./backoff.ts";
import { judgeFailure } from "./failure_policy.ts";
import { Indexes } from "./indexes.ts";
import {
  allIndexFailures,
  completionIndex,
  hasFailed,
  hasSucceeded,
  hasTrackingFinalizer,
  indexesOf,
  indexFailures,
  uidOf,
  validIndex,
} from "./job_pods.ts";
import { backoffLimitPerIndex, hasLimitPerIndex, indexCount, isIndexed } from "./spec.ts";

/** A sync's knowledge of a Job before it decides anything. */
export interface Observation {
  /** The cached Job. */
  readonly job: Job;
  /** All its pods, adopted ones included, in the order of their indexes. */
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  /** How many of the active pods are ready. */
  readonly ready: number;
  /** How many pods are terminating. */
  readonly terminating: number;
  /** Uids of pods whose finalizer was removed, although the cache does not show it yet. */
  readonly awaited: ReadonlySet<string>;
  /** Uids in the status of pods that are counted but for their finalizer. */
  readonly uncounted: { readonly succeeded: ReadonlySet<string>; readonly failed: ReadonlySet<string> };
  /** Pods that have ended and do not appear in the status. */
  readonly newSucceeded: readonly Pod[];
  readonly newFailed: readonly Pod[];
  /** All that have succeeded, counted or not; of an Indexed Job its succeeded indexes. */
  readonly succeeded: number;
  /** All that have failed, counted or not, without those that the failure policy ignores. */
  readonly failed: number;
  /** For an Indexed Job. */
  readonly indexes?: ObservedIndexes;
  /** The PodGroup for new pods, if they are scheduled together. */
  readonly podGroup?: string;
}

/**
 * Observes a Job's pods and status.
 * Upstream: `pkg/controller/job/job_controller.go` (syncJob, getNewFinishedPods).
 */
export function observe(job: Job, claimed: readonly Pod[], awaited: ReadonlySet<string>): Observation {
  const pods = isIndexed(job) ? byIndex(claimed) : claimed;
  const active = pods.filter(isPodActive);
  const { uncountedTerminatedPods, succeeded = 0, failed = 0 } = job.status ?? {};
  const uncounted = {
    succeeded: new Set(uncountedTerminatedPods?.succeeded),
    failed: new Set(uncountedTerminatedPods?.failed),
  };
  const tracked = pods.filter((pod) =>
    isTracked(pod, awaited) && (!isIndexed(job) || validIndex(pod, job) !== undefined)
  );
  const newSucceeded = tracked.filter((pod) => hasSucceeded(pod) && !uncounted.succeeded.has(uidOf(pod)));
  const newFailed = tracked.filter((pod) => hasFailed(pod, job) && !uncounted.failed.has(uidOf(pod)));
  const indexes = isIndexed(job) ? observeIndexes(job, { pods, active, tracked }) : undefined;
  return {
    job,
    pods,
    active,
    ready: active.filter(isPodReady).length,
    terminating: pods.filter(isPodTerminating).length,
    awaited,
    uncounted,
    newSucceeded,
    newFailed,
    succeeded: indexes?.succeeded.size ?? succeeded + newSucceeded.length + uncounted.succeeded.size,
    failed: failed + newFailed.filter((pod) => judgeFailure(job, pod).counts).length + uncounted.failed.size,
    indexes,
  };
}

/** Whether the pod must still be counted: it has its finalizer, as far as we know. */
export function isTracked(pod: Pod, awaited: ReadonlySet<string>): boolean {
  return hasTrackingFinalizer(pod) && !awaited.has(uidOf(pod));
}

function byIndex(pods: readonly Pod[]): Pod[] {
  return pods
    .map((pod) => ({ pod, index: completionIndex(pod) ?? -1 }))
    .sort((a, b) => a.index - b.index)
    .map(({ pod }) => pod);
}

/** The state of an Indexed Job's indexes. */
export interface ObservedIndexes {
  /** Those that succeeded according to the status. */
  readonly counted: Indexes;
  /** All that have succeeded. */
  readonly succeeded: Indexes;
  /** All that have failed permanently, if each index has its own limit. */
  readonly failed?: Indexes;
  /**
   * By index, the failed pod that is kept until it is replaced, because it records how often the index has failed;
   * empty unless each index has its own limit.
   */
  readonly delayed: ReadonlyMap<number, Pod>;
}

interface ObservedPods {
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  /** Those with a valid index that are still to be counted. */
  readonly tracked: readonly Pod[];
}

/** Upstream: `pkg/controller/job/indexed_job_utils.go` (calculateSucceededIndexes, calculateFailedIndexes). */
function observeIndexes(job: Job, { pods, active, tracked }: ObservedPods): ObservedIndexes {
  const { completedIndexes, failedIndexes } = job.status ?? {};
  const indexesWhere = (holds: (pod: Pod) => boolean) =>
    pods.filter((pod) => hasTrackingFinalizer(pod) && holds(pod)).map((pod) => validIndex(pod, job))
      .filter((index) => index !== undefined);
  const counted = Indexes.parse(completedIndexes, indexCount(job));
  const succeeded = counted.with(indexesWhere(hasSucceeded));
  if (!hasLimitPerIndex(job)) return { counted, succeeded, delayed: new Map() };
  const failed = Indexes.parse(failedIndexes, indexCount(job)).with(indexesWhere((pod) => failsItsIndex(pod, job)));
  const activeIndexes = indexesOf(active);
  const isOpen = (index: number) => !succeeded.has(index) && !failed.has(index) && !activeIndexes.has(index);
  return { counted, succeeded, failed, delayed: delayedPods(job, tracked, isOpen) };
}

/** Whether the index of this failed pod has failed permanently. */
function failsItsIndex(pod: Pod, job: Job): boolean {
  if (!hasFailed(pod, job)) return false;
  const { counts, action } = judgeFailure(job, pod);
  return action === "FailIndex" || (counts && indexFailures(pod) >= backoffLimitPerIndex(job)!);
}

/** For each open index, the failed pod that records the most failures; the latest of several. */
function delayedPods(job: Job, tracked: readonly Pod[], isOpen: (index: number) => boolean): Map<number, Pod> {
  const delayed = new Map<number, Pod>();
  for (const pod of tracked) {
    const index = validIndex(pod, job)!;
    if (!hasFailed(pod, job) || !isOpen(index)) continue;
    const other = delayed.get(index);
    const knowsMore = !other ||
      (allIndexFailures(other) <= allIndexFailures(pod) && finishedAtMs(other) <= finishedAtMs(pod));
    if (knowsMore) delayed.set(index, pod);
  }
  return delayed;
}
