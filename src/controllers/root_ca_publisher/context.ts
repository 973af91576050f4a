import type { ConfigMap } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";

/** What the publisher asks of the API server. */
export type PublisherClient = Pick<Client, "create" | "update">;

/** What a sync reads, and what it acts with. */
export interface PublisherContext {
  readonly client: PublisherClient;
  readonly configMaps: Pick<Lister<ConfigMap>, "get">;
  /** Published byte for byte. */
  readonly rootCaText: string;
}
