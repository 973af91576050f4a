import { findCondition, type Job, type Pod } from "../../api/mod.ts";
import { isIndexed } from "./spec.ts";

/**
 * Whether all pods of a Job are to run at once: it is Indexed, and as many run at a time as must complete, more than one. A
 * template that names a group already is left to whoever made that group.
 * Upstream: `pkg/controller/job/util/utils.go` (IsGangSchedulingCandidate).
 */
export function isGang(job: Job): boolean {
  const { parallelism, completions, template } = job.spec ?? {};
  return isIndexed(job) && parallelism !== undefined && parallelism > 1 && completions === parallelism &&
    !template?.spec?.schedulingGroup;
}

/**
 * Whether a Job has never started. One that has started without a group goes on without it. Each sign alone has gaps: pods
 * may have been swept away, the start time is taken back by a suspension, a suspension leaves no pods.
 * Upstream: `pkg/controller/job/job_scheduling_manager.go` (isNewJob).
 */
export function hasNeverStarted({ status }: Job, pods: readonly Pod[]): boolean {
  return pods.length === 0 && !status?.startTime && !status?.succeeded && !status?.failed &&
    !findCondition(status?.conditions, "Suspended");
}
