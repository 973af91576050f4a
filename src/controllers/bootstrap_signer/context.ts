import type { ConfigMap, Secret } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";

/** The requests that the signer makes to the API server. */
export type SignerClient = Pick<Client, "update">;

/** The inputs and clients of a sync. */
export interface SignerContext {
  readonly world: Pick<World, "clock">;
  readonly client: SignerClient;
  readonly configMaps: Pick<Lister<ConfigMap>, "get">;
  /** Bootstrap tokens. */
  readonly secrets: Pick<Lister<Secret>, "list">;
}
