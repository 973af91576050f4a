import type { Histogram, World } from "../../base/mod.ts";
import type { Job } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";

/** The inputs and clients of a sync. */
export interface TtlContext {
  readonly world: World;
  readonly client: Pick<Client, "get" | "delete">;
  readonly jobs: Pick<Lister<Job>, "get">;
  readonly queue: Pick<WorkQueue, "addAfter">;
  /** Seconds from a Job's expiry to its deletion. */
  readonly latency: Histogram;
}
