import type { ClusterRole } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";

/** The requests that the controller makes to the API server. */
export type RoleClient = Pick<Client, "apply" | "update">;

/** The inputs and clients of a sync. */
export interface RoleContext {
  readonly world: Pick<World, "clock">;
  readonly client: RoleClient;
  readonly roles: Pick<Lister<ClusterRole>, "get" | "list">;
}
