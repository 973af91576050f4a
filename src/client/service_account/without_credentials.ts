import type { ClientConfig } from "../client_config.ts";

/**
 * The configuration for anonymous access to the same server: same address and trust, but no token, client certificate,
 * plugin or impersonation.
 * Upstream: `client-go/rest` (AnonymousClientConfig).
 */
export function withoutCredentials(config: ClientConfig): ClientConfig {
  const { server, namespace, ca, caData, tlsServerName, insecure, proxyUrl, disableCompression } = config;
  return { server, namespace, ca, caData, tlsServerName, insecure, proxyUrl, disableCompression };
}
