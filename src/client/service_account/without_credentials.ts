import type { ClientConfig } from "../client_config.ts";

/**
 * The same server, reached and trusted in the same way, as nobody: no token, no client certificate, no plugin, no impersonation.
 * Upstream: `client-go/rest` (AnonymousClientConfig).
 */
export function withoutCredentials(config: ClientConfig): ClientConfig {
  const { server, namespace, ca, caData, tlsServerName, insecure, proxyUrl } = config;
  return { server, namespace, ca, caData, tlsServerName, insecure, proxyUrl };
}
