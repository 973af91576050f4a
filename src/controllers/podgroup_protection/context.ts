import type { Pod, PodGroup } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Indexer, Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";

/** The inputs and clients of a sync. */
export interface ProtectionContext {
  readonly world: World;
  readonly client: Pick<Client, "update">;
  readonly groups: Pick<Lister<PodGroup>, "get">;
  /** With the index of active pods. */
  readonly pods: Pick<Indexer<Pod>, "byIndex">;
}
