import type { CronJob, CronJobStatus, ObjectReference } from "../../api/mod.ts";

/** A sync's own copy of a CronJob, whose status the sync changes. The original object is not modified. */
export class Draft {
  #cronJob: CronJob;
  #isChanged = false;

  constructor(cronJob: CronJob) {
    this.#cronJob = cronJob;
  }

  get cronJob(): CronJob {
    return this.#cronJob;
  }

  /** Whether the status must be written. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  get active(): readonly ObjectReference[] {
    return this.#cronJob.status?.active ?? [];
  }

  isActive(uid: string | undefined): boolean {
    return this.active.some((reference) => reference.uid === uid);
  }

  removeActive(uid: string | undefined): void {
    this.change({ active: this.active.filter((reference) => reference.uid !== uid) });
  }

  /** Changes parts of the status. */
  change(status: CronJobStatus): void {
    this.#isChanged = true;
    this.#cronJob = { ...this.#cronJob, status: { ...this.#cronJob.status, ...status } };
  }
}
