import type { ClientConfig } from "./client_config.ts";

/**
 * Host and port of a server that needs no permission but network access to reach: over verified TLS, under the dialled
 * name, without a proxy.
 *
 * @returns `undefined` for any other.
 *
 * @example
 * ```ts
 * import { directAddress } from "kubeloop/client";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(directAddress({ server: "https://[fd00::1]/k8s" }), "[fd00::1]:443");
 * assertEquals(directAddress({ server: "https://10.0.0.1:6443", insecure: true }), undefined);
 * ```
 */
export function directAddress({ server, insecure, proxyUrl, tlsServerName }: ClientConfig): string | undefined {
  const { protocol, hostname, port } = new URL(server);
  const isPlain = protocol === "https:" && !insecure && proxyUrl === undefined;
  if (!isPlain || (tlsServerName !== undefined && tlsServerName !== hostname)) return undefined;
  return `${hostname}:${port || "443"}`;
}
