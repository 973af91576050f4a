import type { Secret } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";

/** What the cleaner asks of the API server. */
export type CleanerClient = Pick<Client, "delete">;

/** What a sync reads, and what it acts with. */
export interface CleanerContext {
  readonly world: Pick<World, "clock">;
  readonly client: CleanerClient;
  /** Bootstrap tokens. */
  readonly secrets: Pick<Lister<Secret>, "get">;
  readonly queue: Pick<WorkQueue, "addAfter">;
}
