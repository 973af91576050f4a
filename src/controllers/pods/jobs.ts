import type { Job, JobCondition } from "../../api/mod.ts";

/**
 * The condition that ended a Job, successfully or not: the first `Complete` or `Failed` that is true.
 * Upstream: `pkg/controller/job/util/utils.go` (FinishedCondition).
 *
 * @returns `undefined` while the Job has not ended.
 */
export function finishedCondition(job: Job): JobCondition | undefined {
  return job.status?.conditions?.find(({ type, status }) =>
    (type === "Complete" || type === "Failed") && status === "True"
  );
}
