import {
  apiVersionOf,
  type CronJob,
  CRONJOBS,
  formatTime,
  isControlledBy,
  type Job,
  JOBS,
  type KubeObject,
  newControllerRef,
  objectKey,
  parseTime,
  referenceTo,
} from "../../api/mod.ts";
import { TimeZone } from "../../rules/mod.ts";
import { isAlreadyExists, isNamespaceTerminating } from "../../client/mod.ts";
import { errorText, refOf, serverSays } from "../running/mod.ts";
import type { CronJobContext } from "./context.ts";
import type { Draft } from "./draft.ts";

/** Annotation of a Job: the time it was scheduled for. */
const SCHEDULED_TIMESTAMP = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/**
 * What the Job for a time is called. No two Jobs can have this name, which is what keeps two controllers from starting one
 * for the same time.
 */
export function jobName(cronJob: CronJob, scheduledMs: number): string {
  return `${cronJob.metadata?.name}-${Math.floor(scheduledMs / 60_000)}`;
}

/** The Job for a time. Upstream: `pkg/controller/cronjob/utils.go` (getJobFromTemplate2). */
export function jobFor(cronJob: CronJob, scheduledMs: number): Job {
  const { timeZone = "", jobTemplate } = cronJob.spec;
  const scheduledAt = TimeZone.load(timeZone).format(scheduledMs);
  return {
    apiVersion: apiVersionOf(JOBS),
    kind: JOBS.kind,
    metadata: {
      namespace: cronJob.metadata?.namespace,
      name: jobName(cronJob, scheduledMs),
      labels: jobTemplate.metadata?.labels,
      annotations: { ...jobTemplate.metadata?.annotations, [SCHEDULED_TIMESTAMP]: scheduledAt },
      ownerReferences: [newControllerRef(cronJob, CRONJOBS)],
    },
    spec: jobTemplate.spec,
  };
}

/**
 * Creates the Job for a time and notes it in the status.
 *
 * @returns Whether there is a next time to wait for: `false` if somebody else has a Job of this name, who will see to it.
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
      // Most likely it was us, who did not come to write the status.
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
 * Deletes a Job, its pods after it, and takes it off the list of active ones.
 *
 * @returns Whether it succeeded; a failure is reported in an event.
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
