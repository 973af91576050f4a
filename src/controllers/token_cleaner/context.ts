import type { Secret } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";

/** The requests that the cleaner makes to the API server. */
export type CleanerClient = Pick<Client, "delete">;

/** The inputs and clients of a sync. */
export interface CleanerContext {
  readonly world: Pick<World, "clock">;
  readonly client: CleanerClient;
  /** Bootstrap tokens. */
  readonly secrets: Pick<Lister<Secret>, "get">;
  readonly queue: Pick<WorkQueue, "addAfter">;
}
