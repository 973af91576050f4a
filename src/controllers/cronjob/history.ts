import { compareUtf8 } from "../../base/mod.ts";
import { type Job, parseTime } from "../../api/mod.ts";
import { finishedCondition } from "../pods/mod.ts";
import { deleteJob } from "./actions.ts";
import type { CronJobContext } from "./context.ts";
import type { Draft } from "./status.ts";

/** Deletes the oldest finished Jobs beyond a CronJob's history limit. */
export async function cleanUpHistory(draft: Draft, jobs: readonly Job[], context: CronJobContext): Promise<void> {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = draft.cronJob.spec;
  const limits = [["Complete", successfulJobsHistoryLimit], ["Failed", failedJobsHistoryLimit]] as const;
  for (const [type, limit] of limits) {
    if (limit === undefined) continue;
    const ended = jobs.filter((job) => finishedCondition(job)?.type === type);
    for (const job of ended.sort(compareByStart).slice(0, Math.max(0, ended.length - limit))) {
      await deleteJob(draft, job, context); // failures are reported, and retried in the next sync
    }
  }
}

/** Orders Jobs by start time; those that never started come last. */
export function compareByStart(a: Job, b: Job): number {
  const startedMs = ({ status }: Job) => status?.startTime ? parseTime(status.startTime) : Infinity;
  const [first, second] = [startedMs(a), startedMs(b)];
  return first === second ? compareUtf8(a.metadata?.name ?? "", b.metadata?.name ?? "") : first - second;
}
