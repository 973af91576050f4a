import type { World } from "../../base/mod.ts";
import type { Lease } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";

/** The inputs and clients of handlers and syncs. */
export interface CollectorContext {
  readonly world: World;
  readonly client: Pick<Client, "get" | "list" | "updateStatus" | "delete">;
  readonly leases: Pick<Lister<Lease>, "get">;
  /** Names of API servers' leases that were deleted. */
  readonly leaseQueue: Pick<WorkQueue, "add">;
  /** Names of StorageVersions that name an API server without a lease. */
  readonly versionQueue: Pick<WorkQueue, "add">;
}
