import { type Job, type JobCondition, parseTime, type Pod } from "../../api/mod.ts";
import { secondsAsGoMs } from "../pods/mod.ts";
import { CONDITION, newCondition, trueCondition } from "./conditions.ts";
import { judgeFailure } from "./failure_policy.ts";
import { Indexes } from "./indexes.ts";
import { hasFailed } from "./job_pods.ts";
import type { Observation } from "./observation.ts";
import { backoffLimitOf, indexCount, isSuspended } from "./spec.ts";

/** Whether a Job must end, and if not, when its deadline must be checked. */
export interface Ending {
  /**
   * The condition for its status: `FailureTarget` or `SuccessCriteriaMet` if that is new or still pending, `Failed` if
   * the failure was announced before.
   */
  readonly condition?: JobCondition;
  /** How long until the deadline, in milliseconds. */
  readonly deadlineInMs?: number;
}

export interface EndingOptions {
  /** When the Job started, or starts now; `undefined` if it has been suspended from the beginning. */
  readonly startTime: string | undefined;
  /** The wall clock. */
  readonly nowMs: number;
}

/**
 * Decides whether a Job ends now for a reason other than enough completions. The first matching rule wins; an earlier
 * sync's decision stands. Upstream: `pkg/controller/job/job_controller.go` (syncJob).
 */
export function decideEnding(observed: Observation, options: EndingOptions): Ending {
  const { job } = observed;
  const decided = earlierDecision(job, options.nowMs) ?? failureByPolicy(observed, options.nowMs) ??
    failureByLimits(observed, options);
  if (decided) return { condition: decided };
  const condition = endingByIndexes(observed, options.nowMs);
  const { activeDeadlineSeconds } = job.spec ?? {};
  if (activeDeadlineSeconds === undefined || isSuspended(job)) return { condition };
  const deadlineInMs = secondsAsGoMs(activeDeadlineSeconds) - elapsedMs(options);
  return { condition, deadlineInMs };
}

/** The condition of a Job with enough completions. */
export function completionsReached(nowMs: number): JobCondition {
  const message = "Reached expected number of succeeded pods";
  return newCondition(
    { type: CONDITION.successCriteriaMet, status: "True", reason: "CompletionsReached", message },
    nowMs,
  );
}

/** A Job's final condition: `Failed` after `FailureTarget`, `Complete` after `SuccessCriteriaMet`. */
export function finalCondition({ type, reason, message }: JobCondition, nowMs: number): JobCondition {
  const isSuccess = type === CONDITION.successCriteriaMet;
  return newCondition(
    { type: isSuccess ? CONDITION.complete : CONDITION.failed, status: "True", reason, message },
    nowMs,
  );
}

function earlierDecision({ status }: Job, nowMs: number): JobCondition | undefined {
  const success = trueCondition(status?.conditions, CONDITION.successCriteriaMet);
  if (success) return success;
  const failure = trueCondition(status?.conditions, CONDITION.failureTarget);
  return failure && finalCondition(failure, nowMs);
}

function failureByPolicy({ job, pods }: Observation, nowMs: number): JobCondition | undefined {
  if (!job.spec?.podFailurePolicy) return undefined;
  for (const pod of pods) {
    const message = hasFailed(pod, job) ? judgeFailure(job, pod).message : undefined;
    if (message !== undefined) return failure("PodFailurePolicy", message, nowMs);
  }
  return undefined;
}

function failureByLimits({ job, pods, failed }: Observation, options: EndingOptions): JobCondition | undefined {
  const { nowMs } = options;
  if (failed > backoffLimitOf(job) || exceedsRestarts(job, pods)) {
    return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit", nowMs);
  }
  const { activeDeadlineSeconds } = job.spec ?? {};
  if (activeDeadlineSeconds === undefined || isSuspended(job) || !options.startTime) return undefined;
  if (elapsedMs(options) < secondsAsGoMs(activeDeadlineSeconds)) return undefined;
  return failure("DeadlineExceeded", "Job was active longer than specified deadline", nowMs);
}

/** Containers restarted in place do not make pods fail; their restarts count instead. */
function exceedsRestarts(job: Job, pods: readonly Pod[]): boolean {
  if (job.spec?.template.spec?.restartPolicy !== "OnFailure") return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== "Running" && status?.phase !== "Pending") continue;
    for (const { restartCount } of status.initContainerStatuses ?? []) restarts += restartCount;
    for (const { restartCount } of status.containerStatuses ?? []) restarts += restartCount;
  }
  const limit = backoffLimitOf(job);
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function endingByIndexes({ job, indexes }: Observation, nowMs: number): JobCondition | undefined {
  if (!indexes) return undefined;
  const { succeeded, failed } = indexes;
  const { maxFailedIndexes } = job.spec ?? {};
  if (failed && maxFailedIndexes !== undefined && failed.size > maxFailedIndexes) {
    const message = "Job has exceeded the specified maximal number of failed indexes";
    return failure("MaxFailedIndexesExceeded", message, nowMs);
  }
  if (failed && failed.size > 0 && failed.size + succeeded.size >= indexCount(job)) {
    return failure("FailedIndexes", "Job has failed indexes", nowMs);
  }
  const message = matchSuccessPolicy(job, succeeded);
  if (message === undefined) return undefined;
  return newCondition({ type: CONDITION.successCriteriaMet, status: "True", reason: "SuccessPolicy", message }, nowMs);
}

function failure(reason: string, message: string, nowMs: number): JobCondition {
  return newCondition({ type: CONDITION.failureTarget, status: "True", reason, message }, nowMs);
}

function elapsedMs({ startTime, nowMs }: EndingOptions): number {
  return startTime ? nowMs - parseTime(startTime) : 0;
}

/**
 * Which rule of the success policy the succeeded indexes fulfil, in upstream's words; `undefined` if none.
 * Upstream: `pkg/controller/job/success_policy.go`.
 */
export function matchSuccessPolicy(job: Job, succeeded: Indexes): string | undefined {
  if (succeeded.size === 0) return undefined;
  const matched = (job.spec?.successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    const suffices = (count: number) => succeededCount !== undefined && count >= succeededCount;
    if (succeededIndexes === undefined) return suffices(succeeded.size);
    const required = Indexes.parse(succeededIndexes, indexCount(job));
    if (required.size === 0) return false; // it is malformed
    const overlap = required.overlap(succeeded);
    return overlap === required.size || suffices(overlap);
  });
  return matched < 0 ? undefined : `Matched rules at index ${matched}`;
}
