import type { World } from "../../base/mod.ts";
import type { ResourcePoolStatusRequest, ResourceSlice, ResourceV1ResourceClaim } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { RequestMetrics } from "./metrics.ts";

/** What syncs read, and what they act with. */
export interface PoolStatusContext {
  readonly world: World;
  readonly client: Pick<Client, "updateStatus" | "delete">;
  readonly requests: Pick<Lister<ResourcePoolStatusRequest>, "get" | "list">;
  readonly slices: Pick<Lister<ResourceSlice>, "list">;
  readonly claims: Pick<Lister<ResourceV1ResourceClaim>, "list">;
  readonly metrics: RequestMetrics;
}
