import { type CronJob, CRONJOBS, type Job, objectKey } from "../../api/mod.ts";
import { deletedKey, type EventHandler } from "../../cache/mod.ts";
import { cause, changeOf, childHandler } from "../running/mod.ts";
import type { CronJobContext } from "./context.ts";
import { requeueAfterMs, scheduleOf } from "./schedule.ts";

/** The context of event handlers. */
export type CronJobHandlerContext = Pick<CronJobContext, "world" | "queue" | "cronJobs" | "recorder" | "localZone">;

/** A change of a CronJob queues it: at once, or, if its times have changed, for the first of them. */
export function cronJobHandler(context: CronJobHandlerContext): EventHandler<CronJob> {
  const { queue } = context;
  return {
    onAdd: (cronJob) => queue.add(objectKey(cronJob), cause("cronjob", cronJob, "added")),
    onUpdate: (before, cronJob) => {
      if (hasSameTimes(before, cronJob)) {
        queue.add(objectKey(cronJob), cause("cronjob", cronJob, changeOf(before, cronJob)));
      } else onTimesChanged(cronJob, context);
    },
    onDelete: (deleted) => queue.add(deletedKey(deleted), cause("cronjob", deletedKey(deleted), "deleted")),
  };
}

function hasSameTimes(before: CronJob, { spec }: CronJob): boolean {
  return before.spec.schedule === spec.schedule && before.spec.timeZone === spec.timeZone;
}

function onTimesChanged(
  cronJob: CronJob,
  { world: { clock }, queue, recorder, localZone }: CronJobHandlerContext,
): void {
  let delayMs: number;
  try {
    delayMs = requeueAfterMs(cronJob, scheduleOf(cronJob, localZone), clock.wallMs()) ?? 0; // the sync reports what is wrong
  } catch {
    const message = `unparseable schedule for cronjob: ${cronJob.spec.schedule}`;
    return recorder.event(cronJob, "Warning", "UnParseableCronJobSchedule", message);
  }
  queue.addAfter(objectKey(cronJob), delayMs, "the schedule was changed");
}

/** A change of a Job queues the CronJob that controls it. */
export function jobHandler({ cronJobs, queue }: CronJobHandlerContext): EventHandler<Job> {
  return childHandler<CronJob, Job>({
    child: "job",
    parentKind: CRONJOBS.kind,
    parents: cronJobs,
    queue,
    selectorOf: () => undefined, // Jobs are not adopted
  });
}
