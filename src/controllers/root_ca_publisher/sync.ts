import { publish } from "./actions.ts";
import { ROOT_CA_CONFIG_MAP, rootCaAction } from "./config_map.ts";
import type { PublisherContext } from "./context.ts";

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
