import { compareUtf8 } from "../../base/mod.ts";
import { type Job, parseTime } from "../../api/mod.ts";
import { finishedCondition } from "../pods/mod.ts";
import { deleteJob } from "./actions.ts";
import type { CronJobContext } from "./context.ts";
import type { Draft } from "./status.ts";

/** Deletes the oldest Jobs that have ended, as many as there are more than a CronJob is to keep. */
export async function cleanUpHistory(draft: Draft, jobs: readonly Job[], context: CronJobContext): Promise<void> {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = draft.cronJob.spec;
  const limits = [["Complete", successfulJobsHistoryLimit], ["Failed", failedJobsHistoryLimit]] as const;
  for (const [type, limit] of limits) {
    if (limit === undefined) continue;
    const ended = jobs.filter((job) => finishedCondition(job)?.type === type);
    for (const job of ended.sort(compareByStart).slice(0, Math.max(0, ended.length - limit))) {
      await deleteJob(draft, job, context); // one that fails is reported, and tried again with the next sync
    }
  }
}

/** Those that started first come first, those that never did last. */
export function compareByStart(a: Job, b: Job): number {
  const startedMs = ({ status }: Job) => status?.startTime ? parseTime(status.startTime) : Infinity;
  const [first, second] = [startedMs(a), startedMs(b)];
  return first === second ? compareUtf8(a.metadata?.name ?? "", b.metadata?.name ?? "") : first - second;
}
