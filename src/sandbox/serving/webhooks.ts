import type { World } from "../../base/mod.ts";
import { ConnectionError, httpTransport } from "../../client/mod.ts";
import type { WebhookTransport } from "../apiserver/mod.ts";

/**
 * Calls webhooks over the network, each time on a new connection.
 *
 * @example
 * ```ts
 * import { createApiServer } from "kubeloop/apiserver";
 * import { FakeWorld } from "kubeloop/world";
 * import { webhookTransport } from "./mod.ts";
 *
 * const world = new FakeWorld();
 * createApiServer({ world, webhookTransport: webhookTransport(world) }).close();
 * ```
 */
export function webhookTransport(world: World): WebhookTransport {
  return async (request, { caBundle, serverName }) => {
    const transport = httpTransport({ world, tls: () => ({ ca: caBundle, serverName }) });
    try {
      return await transport(request);
    } catch (error) {
      // The outer message has the connected address; the webhook is configured under another name.
      throw error instanceof ConnectionError && error.cause instanceof Error ? error.cause : error;
    } finally {
      // A response that has begun may finish.
      transport.close();
    }
  };
}
