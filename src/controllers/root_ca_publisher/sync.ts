import type { ConfigMap } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import { publish, type PublisherClient } from "./actions.ts";
import { ROOT_CA_CONFIG_MAP, rootCaAction } from "./config_map.ts";

/** What a sync reads, and what it acts with. */
export interface PublisherContext {
  readonly client: PublisherClient;
  readonly configMaps: Pick<Lister<ConfigMap>, "get">;
  /** Published byte for byte. */
  readonly rootCaText: string;
}

/**
 * Sees to it that a namespace has the right ConfigMap.
 *
 * @throws {StatusError} If it could not be written and the namespace is not gone or going.
 */
export async function syncRootCa(
  namespace: string,
  { client, configMaps, rootCaText }: PublisherContext,
): Promise<void> {
  const current = configMaps.get(namespace, ROOT_CA_CONFIG_MAP);
  await publish(client, rootCaAction(current, namespace, rootCaText));
}
