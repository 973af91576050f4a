import type { ClusterRole } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";

/** What the controller asks of the API server. */
export type RoleClient = Pick<Client, "apply" | "update">;

/** What a sync reads, and what it acts with. */
export interface RoleContext {
  readonly world: Pick<World, "clock">;
  readonly client: RoleClient;
  readonly roles: Pick<Lister<ClusterRole>, "get" | "list">;
}
