import type { ConfigMap, Secret } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";

/** What the signer asks of the API server. */
export type SignerClient = Pick<Client, "update">;

/** What a sync reads, and what it acts with. */
export interface SignerContext {
  readonly world: Pick<World, "clock">;
  readonly client: SignerClient;
  readonly configMaps: Pick<Lister<ConfigMap>, "get">;
  /** Bootstrap tokens. */
  readonly secrets: Pick<Lister<Secret>, "list">;
}
