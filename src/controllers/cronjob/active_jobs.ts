import { CRONJOBS, isConditionTrue, type Job, JOBS, parseTime } from "../../api/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { finishedCondition } from "../pods/mod.ts";
import { serverSays } from "../running/mod.ts";
import type { CronJobContext } from "./context.ts";
import { Draft } from "./status.ts";

/**
 * Updates the list of active Jobs: removes finished ones, with an event, and those that no longer exist.
 *
 * @returns The draft for the rest of the sync: `draft`, or a fresh copy if the cached CronJob was outdated. The fresh
 *   copy's status is not written; the next sync, with a newer cache, repeats everything.
 * @throws {StatusError} If a read failed.
 */
export async function reviewActiveJobs(draft: Draft, jobs: readonly Job[], context: CronJobContext): Promise<Draft> {
  let current = draft;
  for (const job of jobs) {
    if (finishedCondition(job)) noteEnd(current, job, context);
    else if (!current.isActive(job.metadata?.uid)) current = await lookForForgotten(current, job, context);
  }
  const known = new Set(jobs.map(({ metadata }) => metadata?.uid));
  for (const { namespace, name = "", uid } of current.active) {
    if (known.has(uid) || await exists({ namespace, name }, context)) continue; // a slow cache does not show it yet
    context.recorder.event(current.cronJob, "Normal", "MissingJob", `Active job went missing: ${name}`);
    current.removeActive(uid);
  }
  return current;
}

function noteEnd(draft: Draft, job: Job, { recorder }: CronJobContext): void {
  const { name, uid } = job.metadata ?? {};
  if (draft.isActive(uid)) {
    draft.removeActive(uid);
    const message = `Saw completed job: ${name}, condition: ${finishedCondition(job)?.type}`;
    recorder.event(draft.cronJob, "Normal", "SawCompletedJob", message);
  }
  if (!isConditionTrue(job.status?.conditions, "Complete")) return;
  const { lastSuccessfulTime } = draft.cronJob.status ?? {};
  const { completionTime } = job.status ?? {};
  const isLater = completionTime !== undefined &&
    (!lastSuccessfulTime || parseTime(completionTime) > parseTime(lastSuccessfulTime));
  if (isLater) draft.change({ lastSuccessfulTime: completionTime });
}

/**
 * Handles a running Job that is not on the list: the cached CronJob is outdated, or this controller did not start the
 * Job.
 */
async function lookForForgotten(draft: Draft, job: Job, { client, recorder }: CronJobContext): Promise<Draft> {
  const { namespace, name = "" } = draft.cronJob.metadata ?? {};
  const live = new Draft(await client.get(CRONJOBS, { namespace, name }));
  if (live.isActive(job.metadata?.uid)) return live;
  const message = `Saw a job that the controller did not create or forgot: ${job.metadata?.name}`;
  recorder.event(draft.cronJob, "Warning", "UnexpectedJob", message);
  return draft;
}

async function exists(ref: { namespace?: string; name: string }, { client }: CronJobContext): Promise<boolean> {
  try {
    await client.get(JOBS, ref);
    return true;
  } catch (error) {
    if (serverSays(error, isNotFound)) return false;
    throw error;
  }
}
