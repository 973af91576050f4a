import type { Job, Pod } from "../../api/mod.ts";
import { judgeFailure } from "./failure_policy.ts";
import { finishedAtMs } from "./finish_time.ts";
import { Indexes } from "./indexes.ts";
import {
  allIndexFailures,
  hasFailed,
  hasSucceeded,
  hasTrackingFinalizer,
  indexesOf,
  indexFailures,
  validIndex,
} from "./job_pods.ts";
import { backoffLimitPerIndex, hasLimitPerIndex, indexCount } from "./spec.ts";

/** How the indexes of an Indexed Job are doing. */
export interface ObservedIndexes {
  /** Those that the status says have succeeded. */
  readonly counted: Indexes;
  /** All that have succeeded. */
  readonly succeeded: Indexes;
  /** All that have failed for good, if each index has its own limit. */
  readonly failed?: Indexes;
  /**
   * By index, the failed pod that stays until it is replaced, since it tells how often the index has failed; empty
   * unless each index has its own limit.
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
export function observeIndexes(job: Job, { pods, active, tracked }: ObservedPods): ObservedIndexes {
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

/** Whether the index of this failed pod has failed for good. */
function failsItsIndex(pod: Pod, job: Job): boolean {
  if (!hasFailed(pod, job)) return false;
  const { counts, action } = judgeFailure(job, pod);
  return action === "FailIndex" || (counts && indexFailures(pod) >= backoffLimitPerIndex(job)!);
}

/** Of each open index the failed pod that knows of most failures, the latest of several. */
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
