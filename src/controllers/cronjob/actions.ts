import { errorText } from "../../base/mod.ts";
import {
  type CronJob,
  CRONJOBS,
  formatTime,
  isControlledBy,
  type Job,
  JOBS,
  type KubeObject,
  objectKey,
  parseTime,
  referenceTo,
} from "../../api/mod.ts";
import { isAlreadyExists, isNamespaceTerminating } from "../../client/mod.ts";
import { refOf, serverSays } from "../running/mod.ts";
import type { CronJobContext } from "./context.ts";
import { jobFor } from "./new_job.ts";
import type { Draft } from "./status.ts";

/**
 * Creates the Job for a time and records it in the status.
 *
 * @returns Whether to wait for the next time; `false` if a Job of this name belongs to somebody else.
 * @throws {StatusError} If the Job could not be created.
 */
export async function startJob(draft: Draft, scheduledMs: number, context: CronJobContext): Promise<boolean> {
  const { recorder, skew } = context;
  const { cronJob } = draft;
  const wanted = jobFor(cronJob, scheduledMs);
  const { job, isNew } = await createOrFind(cronJob, wanted, context);
  if (isNew) {
    const createdMs = parseTime(job.metadata?.creationTimestamp ?? formatTime(context.world.clock.wallMs()));
    skew.observe((createdMs - scheduledMs) / 1000);
    recorder.event(cronJob, "Normal", "SuccessfulCreate", `Created job ${job.metadata?.name}`);
  } else if (!isControlledBy(job, cronJob) || draft.isActive(job.metadata?.uid)) {
    return false;
  }
  draft.change({ active: [...draft.active, referenceTo(job, JOBS)], lastScheduleTime: formatTime(scheduledMs) });
  return true;
}

async function createOrFind(
  cronJob: CronJob,
  wanted: Job,
  { client, recorder, world: { log } }: CronJobContext,
): Promise<{ readonly job: KubeObject; readonly isNew: boolean }> {
  try {
    return { job: await client.createMetadata(JOBS, wanted), isNew: true };
  } catch (error) {
    if (serverSays(error, isAlreadyExists)) {
      // Most likely it was us, and we then failed to write the status.
      log.info("Job already exists", { cronJob: objectKey(cronJob), job: objectKey(wanted) });
      return { job: await client.get(JOBS, refOf(wanted)), isNew: false };
    }
    if (!serverSays(error, isNamespaceTerminating)) {
      recorder.event(cronJob, "Warning", "FailedCreate", `Error creating job: ${errorText(error)}`);
    }
    throw error;
  }
}

/**
 * Deletes a Job and, in the background, its pods, and removes it from the list of active ones.
 *
 * @returns Whether it succeeded; a failure is recorded in an event.
 */
export async function deleteJob(draft: Draft, job: Job, { client, recorder, world }: CronJobContext): Promise<boolean> {
  const { name = "", uid } = job.metadata ?? {};
  try {
    await client.delete(JOBS, refOf(job), { propagationPolicy: "Background" });
  } catch (error) {
    recorder.event(draft.cronJob, "Warning", "FailedDelete", `Deleted job: ${errorText(error)}`);
    world.log.error("Error deleting a job of a cronjob", { err: error, job: objectKey(job) });
    return false;
  }
  draft.removeActive(uid);
  recorder.event(draft.cronJob, "Normal", "SuccessfulDelete", `Deleted job ${name}`);
  return true;
}

/**
 * Deletes the running Jobs, to make room for the next.
 *
 * @throws {Error} If one could not be read or deleted.
 */
export async function replaceActive(draft: Draft, context: CronJobContext): Promise<void> {
  for (const { namespace, name = "" } of draft.active) {
    const job = await context.client.get(JOBS, { namespace, name }).catch((error) => {
      context.recorder.event(draft.cronJob, "Warning", "FailedGet", `Get job: ${errorText(error)}`);
      throw error;
    });
    if (!await deleteJob(draft, job, context)) throw new Error(`could not replace job ${objectKey(job)}`);
  }
}

/** Writes the status. If the CronJob changed meanwhile, the server refuses it and the key is retried. */
export async function writeStatus({ cronJob }: Draft, { client }: CronJobContext): Promise<void> {
  await client.updateStatus(CRONJOBS, cronJob);
}
