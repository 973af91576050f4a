import { formatTime, type Job, type JobStatus } from "../../api/mod.ts";
import { CONDITION, withCondition } from "./conditions.ts";
import type { JobContext } from "./context.ts";
import { isSuspended } from "./spec.ts";

/**
 * What a Job's status has to say anew about its being suspended, with an event; `undefined` if nothing. The time that a Job
 * is active, which its deadline counts, begins anew when it is resumed.
 */
export function suspension(
  job: Job,
  { recorder, world, keepsStartTime }: Pick<JobContext, "recorder" | "world" | "keepsStartTime">,
): Pick<JobStatus, "conditions" | "startTime"> | undefined {
  const nowMs = world.clock.wallMs();
  const says = isSuspended(job)
    ? { status: "True", reason: "JobSuspended", message: "Job suspended" }
    : { status: "False", reason: "JobResumed", message: "Job resumed" };
  const conditions = withCondition(job.status?.conditions, { type: CONDITION.suspended, ...says }, nowMs);
  if (!conditions) return undefined;
  recorder.event(job, "Normal", isSuspended(job) ? "Suspended" : "Resumed", says.message);
  if (!isSuspended(job)) return { conditions, startTime: formatTime(nowMs) };
  return keepsStartTime ? { conditions } : { conditions, startTime: undefined };
}
