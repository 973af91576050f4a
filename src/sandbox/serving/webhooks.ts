import type { World } from "../../base/mod.ts";
import { ConnectionError, httpTransport } from "../../client/mod.ts";
import type { WebhookTransport } from "../apiserver/mod.ts";

/**
 * Reaches webhooks over the network: each request has a connection of its own, which ends with its answer.
 *
 * @example
 * ```ts
 * import { FakeWorld } from "../../base/mod.ts";
 * import { createApiServer } from "../apiserver/mod.ts";
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
      // It names the address; whoever configured the webhook knows it by another.
      throw error instanceof ConnectionError && error.cause instanceof Error ? error.cause : error;
    } finally {
      // An answer that has begun may end.
      transport.close();
    }
  };
}
