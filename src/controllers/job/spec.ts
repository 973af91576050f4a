import type { Job } from "../../api/mod.ts";
import { OWN_MANAGER } from "./names.ts";

/** A Job's settings, with the API server's defaults. */

export function isIndexed(job: Job): boolean {
  return job.spec?.completionMode === "Indexed";
}

export function isSuspended(job: Job): boolean {
  return job.spec?.suspend === true;
}

/** How many pods may run at a time. */
export function parallelismOf(job: Job): number {
  return job.spec?.parallelism ?? 1;
}

/** How many indexes an Indexed Job has. */
export function indexCount(job: Job): number {
  return job.spec?.completions ?? 0;
}

export function backoffLimitOf(job: Job): number {
  return job.spec?.backoffLimit ?? 6;
}

/** Whether each index has its own number of failures. */
export function hasLimitPerIndex(job: Job): boolean {
  return backoffLimitPerIndex(job) !== undefined;
}

/** How often an index may fail; `undefined` if failures are counted for the whole Job. */
export function backoffLimitPerIndex(job: Job): number | undefined {
  return job.spec?.backoffLimitPerIndex ?? undefined;
}

/** Whether terminating pods are only replaced when they have ended, and count as failed only by their phase. */
export function replacesOnlyFailed(job: Job): boolean {
  return job.spec?.podReplacementPolicy === "Failed" || Boolean(job.spec?.podFailurePolicy);
}

/** The other controller that manages the Job, if it names one. */
export function otherManager(job: Job): string | undefined {
  const manager = job.spec?.managedBy ?? OWN_MANAGER;
  return manager === OWN_MANAGER ? undefined : manager;
}
