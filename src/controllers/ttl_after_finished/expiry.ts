import { type Job, objectKey, parseTime } from "../../api/mod.ts";
import { finishedCondition } from "../pods/mod.ts";

/** Whether a Job will expire: it has finished, sets a TTL, and is not being deleted. */
export function isToExpire(job: Job): boolean {
  return !job.metadata?.deletionTimestamp && job.spec?.ttlSecondsAfterFinished !== undefined &&
    finishedCondition(job) !== undefined;
}

/**
 * When to delete a Job, in milliseconds since 1970; `undefined` if never.
 * Upstream: `pkg/controller/ttlafterfinished/ttlafterfinished_controller.go` (processTTL).
 *
 * @throws {Error} If the Job does not say when it finished.
 */
export function expiresAtMs(job: Job): number | undefined {
  if (!isToExpire(job)) return undefined;
  const finishedAt = finishedCondition(job)?.lastTransitionTime;
  if (!finishedAt) throw new Error(`unable to find the time when the Job ${objectKey(job)} finished`);
  return parseTime(finishedAt) + job.spec!.ttlSecondsAfterFinished! * 1000;
}
