import type { World } from "../../base/mod.ts";
import type { Lease } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";

/** What handlers and syncs read, and what they act with. */
export interface CollectorContext {
  readonly world: World;
  readonly client: Pick<Client, "get" | "list" | "updateStatus" | "delete">;
  readonly leases: Pick<Lister<Lease>, "get">;
  /** Names of leases of API servers that went. */
  readonly leaseQueue: Pick<WorkQueue, "add">;
  /** Names of StorageVersions that name an API server without a lease. */
  readonly versionQueue: Pick<WorkQueue, "add">;
}
