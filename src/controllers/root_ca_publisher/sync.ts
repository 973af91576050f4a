import { ROOT_CA_CONFIG_MAP } from "../../api/mod.ts";
import { publish } from "./actions.ts";
import { rootCaAction } from "./config_map.ts";
import type { PublisherContext } from "./context.ts";

/**
 * Ensures that a namespace has the right ConfigMap.
 *
 * @throws {StatusError} If the write failed and the namespace is neither gone nor terminating.
 */
export async function syncRootCa(
  namespace: string,
  { client, configMaps, rootCaText }: PublisherContext,
): Promise<void> {
  const current = configMaps.get(namespace, ROOT_CA_CONFIG_MAP);
  await publish(client, rootCaAction(current, namespace, rootCaText));
}
