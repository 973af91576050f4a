import { type CronJob, formatTime, objectKey } from "../../api/mod.ts";
import { type CronSchedule } from "../../rules/mod.ts";
import { errorText, goQuote } from "../../base/mod.ts";
import { secondsAsGoMs } from "../pods/mod.ts";
import { byKey } from "../running/mod.ts";
import { replaceActive, startJob, writeStatus } from "./actions.ts";
import { reviewActiveJobs } from "./active_jobs.ts";
import type { CronJobContext } from "./context.ts";
import { cleanUpHistory } from "./history.ts";
import { jobsOf } from "./jobs_of.ts";
import { jobName } from "./new_job.ts";
import { namesZone, requeueAfterMs, scheduleOf, whatIsDue, zoneProblem } from "./schedule.ts";
import { Draft } from "./status.ts";

/**
 * Starts a CronJob's due Job, tracks running ones, and deletes old ones.
 * Upstream: `pkg/controller/cronjob/cronjob_controllerv2.go` (sync).
 *
 * @param key `namespace/name`.
 * @throws {Error} If the key must be retried: a request failed.
 */
export async function syncCronJob(key: string, context: CronJobContext): Promise<void> {
  const cached = byKey(context.cronJobs, key);
  if (!cached) return;
  const draft = new Draft(cached);
  const jobs = jobsOf(cached, context.jobs);
  await cleanUpHistory(draft, jobs, context);
  let current = draft;
  let requeueMs: number | undefined;
  let failure: unknown;
  try {
    current = await reviewActiveJobs(draft, jobs, context);
    requeueMs = await startIfDue(current, context);
  } catch (error) {
    failure = error;
  }
  if (draft.isChanged || current.isChanged) await writeStatus(draft, context);
  if (failure !== undefined) throw failure;
  if (requeueMs !== undefined) context.queue.addAfter(key, requeueMs, { due: "the next scheduled time has come" });
}

/** @returns How long until the next check, in milliseconds; `undefined` to wait for an event. */
async function startIfDue(draft: Draft, context: CronJobContext): Promise<number | undefined> {
  const { cronJob } = draft;
  const nowMs = context.world.clock.wallMs();
  if (cronJob.metadata?.deletionTimestamp) return undefined;
  const schedule = readSchedule(cronJob, context);
  if (!schedule) return undefined;
  const due = findDue(cronJob, schedule, { nowMs, context });
  if (due === "never") return undefined;
  const requeueMs = () => requeueAfterMs(draft.cronJob, schedule, nowMs);
  if (due === "later" || !mayStart(draft, due, { nowMs, context })) return requeueMs();
  if (cronJob.spec.concurrencyPolicy === "Replace") await replaceActive(draft, context);
  return await startJob(draft, due, context) ? requeueMs() : undefined;
}

/** The schedule, if it is valid and not suspended; problems are recorded in an event. */
function readSchedule(cronJob: CronJob, { recorder, localZone }: CronJobContext): CronSchedule | undefined {
  const { schedule, suspend, timeZone } = cronJob.spec;
  const problem = timeZone === undefined ? undefined : zoneProblem(timeZone);
  if (problem) {
    const message = `invalid timeZone: ${goQuote(timeZone!)}: ${problem}`;
    recorder.event(cronJob, "Warning", "UnknownTimeZone", message);
    return undefined;
  }
  if (suspend) return undefined;
  if (namesZone(schedule)) {
    const message = `CRON_TZ or TZ used in schedule ${goQuote(schedule)} is not officially supported, ` +
      "see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";
    recorder.event(cronJob, "Warning", "UnsupportedSchedule", message);
  }
  try {
    return scheduleOf(cronJob, localZone);
  } catch (error) {
    const message = `unparseable schedule: ${goQuote(schedule)} : ${errorText(error)}`;
    recorder.event(cronJob, "Warning", "UnparseableSchedule", message);
    return undefined;
  }
}

interface Now {
  readonly nowMs: number;
  readonly context: CronJobContext;
}

/** The time for which a Job is due, or when to check again. */
function findDue(cronJob: CronJob, schedule: CronSchedule, { nowMs, context }: Now): number | "later" | "never" {
  const { recorder, world: { log } } = context;
  try {
    const { latestMs, missed } = whatIsDue(cronJob, schedule, { nowMs, withDeadline: true });
    if (latestMs === undefined) return "later";
    if (missed === "many") {
      const message = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
      recorder.event(cronJob, "Warning", "TooManyMissedTimes", message);
      log.info("too many missed times", { cronJob: objectKey(cronJob) });
    }
    return latestMs;
  } catch (error) {
    const message = `invalid schedule: ${cronJob.spec.schedule} : ${errorText(error)}`;
    recorder.event(cronJob, "Warning", "InvalidSchedule", message);
    return "never";
  }
}

/**
 * Whether a Job may start for this time: it is not too late, none was started for it, and the concurrency policy allows
 * it.
 */
function mayStart(draft: Draft, scheduledMs: number, { nowMs, context: { recorder } }: Now): boolean {
  const { cronJob } = draft;
  const { startingDeadlineSeconds, concurrencyPolicy } = cronJob.spec;
  if (startingDeadlineSeconds !== undefined && scheduledMs + secondsAsGoMs(startingDeadlineSeconds) < nowMs) {
    const at = new Date(scheduledMs).toUTCString().replace("GMT", "+0000");
    recorder.event(cronJob, "Warning", "MissSchedule", `Missed scheduled time to start a job: ${at}`);
    return false;
  }
  const name = jobName(cronJob, scheduledMs);
  const isStarted = draft.active.some((reference) =>
    reference.name === name && reference.namespace === cronJob.metadata?.namespace
  );
  if (isStarted || cronJob.status?.lastScheduleTime === formatTime(scheduledMs)) return false;
  if (concurrencyPolicy === "Forbid" && draft.active.length > 0) {
    const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
    recorder.event(cronJob, "Normal", "JobAlreadyActive", message);
    return false;
  }
  return true;
}
