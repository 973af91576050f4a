import type { Histogram, World } from "../../base/mod.ts";
import type { CronJob, Job } from "../../api/mod.ts";
import type { TimeZone } from "../../rules/mod.ts";
import type { Indexer, Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";

/** The requests that the CronJob controller makes to the API server. */
export type CronJobClient = Pick<Client, "get" | "createMetadata" | "updateStatus" | "delete">;

/** The inputs and clients of a sync. */
export interface CronJobContext {
  readonly world: World;
  readonly client: CronJobClient;
  readonly recorder: EventRecorder;
  readonly queue: Pick<WorkQueue, "add" | "addAfter">;
  readonly cronJobs: Pick<Lister<CronJob>, "get" | "list">;
  /** Indexed by {@link jobsOf}. */
  readonly jobs: Pick<Indexer<Job>, "byIndex">;
  /** The time zone of schedules without one. */
  readonly localZone: TimeZone;
  /** Seconds from a Job's scheduled time to its creation. */
  readonly skew: Histogram;
}
