import type { ConfigMap } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";

/** The requests that the publisher makes to the API server. */
export type PublisherClient = Pick<Client, "create" | "update">;

/** The inputs and clients of a sync. */
export interface PublisherContext {
  readonly client: PublisherClient;
  readonly configMaps: Pick<Lister<ConfigMap>, "get">;
  /** Published byte for byte. */
  readonly rootCaText: string;
}
