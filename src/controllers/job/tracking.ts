import type { Job, JobCondition, JobStatus, Pod } from "../../api/mod.ts";
import { CONDITION, ensureCondition, trueCondition } from "./conditions.ts";
import { finalCondition } from "./ending.ts";
import { judgeFailure } from "./failure_policy.ts";
import { hasFailed, hasSucceeded, uidOf, validIndex } from "./job_pods.ts";
import { isTracked, type Observation } from "./observation.ts";

/** The most pods that are counted at a time: their uids must not make the status too large. */
const MOST_UNCOUNTED = 500;

/** The plan for counting ended pods in the status and removing their finalizers. */
export interface TrackingPlan {
  /** The status to write before any finalizer is removed. */
  readonly status: JobStatus;
  /** Whether that differs from what the server has. */
  readonly needsWrite: boolean;
  /** Pods that lose their finalizer after that. */
  readonly removals: readonly Pod[];
  /** Uids of all pods that have their finalizer now. */
  readonly withFinalizer: ReadonlySet<string>;
  /** Whether there are more pods than one sync counts. */
  readonly isTruncated: boolean;
  /** The Job's final condition, if it is ending. */
  readonly final?: JobCondition;
  /** The actions of the failure policy that were applied. */
  readonly policyActions: readonly string[];
}

export interface TrackingOptions {
  /** Including everything else that this sync changed. */
  readonly status: JobStatus;
  readonly ending: JobCondition | undefined;
  /** Whether `status` differs already from what the server has. */
  readonly needsWrite: boolean;
  /** The wall clock. */
  readonly nowMs: number;
}

/**
 * Decides which pods are counted now.
 *
 * The order of writes keeps the numbers right whenever the controller stops: first the status remembers a pod's uid (or
 * that its index succeeded), then the pod loses its finalizer, then the uid becomes a number.
 *
 * Upstream: `pkg/controller/job/job_controller.go` (trackJobStatusAndRemoveFinalizers).
 */
export function planTracking(observed: Observation, options: TrackingOptions): TrackingPlan {
  const { job, awaited } = observed;
  const tracked = observed.pods.filter((pod) => isTracked(pod, awaited));
  const withFinalizer = new Set(tracked.map(uidOf));
  const cleaned = countUncounted(options.status, withFinalizer);
  const { removals, isTruncated, ...added } = addUncounted(tracked, cleaned ?? options.status, {
    ...options,
    observed,
  });
  const indexed = observed.indexes && indexFields(observed, added.newIndexes);
  const conditions = announce(job, options.ending);
  const isNewIndexed = indexed !== undefined &&
    (indexed.completedIndexes !== job.status?.completedIndexes || indexed.failedIndexes !== job.status?.failedIndexes);
  return {
    status: {
      ...cleaned ?? options.status,
      ...added.uncounted ? { uncountedTerminatedPods: added.uncounted } : {},
      ...indexed,
      ...conditions ? { conditions: [...options.status.conditions ?? [], conditions] } : {},
    },
    needsWrite: options.needsWrite || cleaned !== undefined || added.uncounted !== undefined ||
      added.newIndexes.length > 0 || isNewIndexed || conditions !== undefined,
    removals,
    withFinalizer,
    isTruncated,
    final: options.ending && finalOf(options.ending, options.nowMs),
    policyActions: added.policyActions,
  };
}

/**
 * The status with the pods that have lost their finalizer counted as numbers.
 *
 * @returns `undefined` if there are none.
 */
export function countUncounted(status: JobStatus, withFinalizer: ReadonlySet<string>): JobStatus | undefined {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const left = (uids: readonly string[]) => uids.filter((uid) => withFinalizer.has(uid));
  const [succeededLeft, failedLeft] = [left(succeeded), left(failed)];
  if (succeededLeft.length === succeeded.length && failedLeft.length === failed.length) return undefined;
  return {
    ...status,
    succeeded: (status.succeeded ?? 0) + succeeded.length - succeededLeft.length,
    failed: (status.failed ?? 0) + failed.length - failedLeft.length,
    uncountedTerminatedPods: { succeeded: succeededLeft, failed: failedLeft },
  };
}

/** The final status of a Job; `undefined` while pods are still uncounted or terminating. */
export function finishedStatus(
  status: JobStatus,
  final: JobCondition,
  { terminating, nowMs }: { readonly terminating: number; readonly nowMs: number },
): JobStatus | undefined {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  if (succeeded.length + failed.length > 0 || terminating > 0) return undefined;
  const conditions = ensureCondition(status.conditions, final, nowMs) ?? status.conditions;
  if (final.type !== CONDITION.complete) return { ...status, conditions };
  return { ...status, conditions, completionTime: final.lastTransitionTime };
}

interface Added {
  readonly removals: readonly Pod[];
  readonly isTruncated: boolean;
  readonly newIndexes: readonly number[];
  /** `undefined` if no uid was added. */
  readonly uncounted: JobStatus["uncountedTerminatedPods"];
  readonly policyActions: readonly string[];
}

function addUncounted(
  tracked: readonly Pod[],
  status: JobStatus,
  options: TrackingOptions & { readonly observed: Observation },
): Added {
  const succeeded = [...status.uncountedTerminatedPods?.succeeded ?? []];
  const failed = [...status.uncountedTerminatedPods?.failed ?? []];
  const known = succeeded.length + failed.length;
  const removals: Pod[] = [];
  const newIndexes: number[] = [];
  const policyActions: string[] = [];
  let isTruncated = false;
  for (const pod of tracked) {
    if (!mayLoseFinalizer(pod, options)) continue;
    removals.push(pod);
    const tally = tallyOf(pod, options);
    if (tally?.as === "index") newIndexes.push(tally.index);
    else if (tally?.as === "succeeded") succeeded.push(uidOf(pod));
    else if (tally?.as === "failed") {
      if (tally.action) policyActions.push(tally.action);
      if (tally.counts) failed.push(uidOf(pod));
    }
    if (newIndexes.length + succeeded.length + failed.length >= MOST_UNCOUNTED) {
      isTruncated = true;
      break;
    }
  }
  const uncounted = succeeded.length + failed.length > known ? { succeeded, failed } : undefined;
  return { removals, isTruncated, newIndexes, uncounted, policyActions };
}

/**
 * Pods may be released when they have ended, or when the Job ends; but one that records how often its index failed is
 * kept.
 */
function mayLoseFinalizer(
  pod: Pod,
  { observed: { job, indexes }, ending }: TrackingOptions & { readonly observed: Observation },
): boolean {
  if (job.metadata?.deletionTimestamp || ending || hasSucceeded(pod)) return true;
  if (!hasFailed(pod, job)) return false;
  const index = indexes && validIndex(pod, job);
  return index === undefined || indexes?.delayed.get(index)?.metadata?.uid !== pod.metadata?.uid;
}

type Tally =
  | { readonly as: "index"; readonly index: number }
  | { readonly as: "succeeded" }
  | { readonly as: "failed"; readonly counts: boolean; readonly action?: string };

/** How to count the pod; `undefined` if it is already counted, or does not count. */
function tallyOf(
  pod: Pod,
  { observed, ending }: TrackingOptions & { readonly observed: Observation },
): Tally | undefined {
  const { job, indexes, uncounted } = observed;
  if (uncounted.failed.has(uidOf(pod))) return undefined;
  const index = indexes && validIndex(pod, job);
  if (hasSucceeded(pod)) {
    if (!indexes) return uncounted.succeeded.has(uidOf(pod)) ? undefined : { as: "succeeded" };
    return index === undefined || indexes.counted.has(index) ? undefined : { as: "index", index };
  }
  // When the Job has failed, all unfinished pods count as failed.
  const endsInFailure = ending !== undefined && ending.type !== CONDITION.successCriteriaMet;
  if (!hasFailed(pod, job) && !endsInFailure) return undefined;
  return indexes && index === undefined ? undefined : { as: "failed", ...judgeFailure(job, pod) };
}

function indexFields({ indexes }: Observation, newIndexes: readonly number[]): Partial<JobStatus> {
  const { succeeded, failed } = indexes!;
  const completed = succeeded.with(newIndexes);
  return {
    succeeded: completed.size,
    completedIndexes: String(completed) || undefined,
    failedIndexes: failed && String(failed),
  };
}

/** The condition that announces how the Job will end; `undefined` if it was announced before. */
function announce(job: Job, ending: JobCondition | undefined): JobCondition | undefined {
  if (ending?.type === CONDITION.failureTarget) return ending;
  if (ending?.type !== CONDITION.successCriteriaMet) return undefined;
  return trueCondition(job.status?.conditions, CONDITION.successCriteriaMet) ? undefined : ending;
}

function finalOf(ending: JobCondition, nowMs: number): JobCondition {
  return ending.type === CONDITION.failed ? ending : finalCondition(ending, nowMs);
}
