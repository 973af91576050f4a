import { type Job, objectKey, parseTime } from "../../api/mod.ts";
import { finishedCondition } from "../pods/mod.ts";

/** Whether a Job is to be deleted some time: it has ended, says how long it may stay, and is not being deleted. */
export function isToExpire(job: Job): boolean {
  return !job.metadata?.deletionTimestamp && job.spec?.ttlSecondsAfterFinished !== undefined &&
    finishedCondition(job) !== undefined;
}

/**
 * When a Job is to be deleted, in milliseconds since 1970; `undefined` if never.
 * Upstream: `pkg/controller/ttlafterfinished/ttlafterfinished_controller.go` (processTTL).
 *
 * @throws {Error} If the Job does not say when it ended.
 */
export function expiresAtMs(job: Job): number | undefined {
  if (!isToExpire(job)) return undefined;
  const finishedAt = finishedCondition(job)?.lastTransitionTime;
  if (!finishedAt) throw new Error(`unable to find the time when the Job ${objectKey(job)} finished`);
  return parseTime(finishedAt) + job.spec!.ttlSecondsAfterFinished! * 1000;
}
