import type { ClientConfig } from "./client_config.ts";

/**
 * Host and port of a server that can be reached with nothing but the right to reach them: by verified TLS, under the name that
 * was dialled, through no proxy.
 *
 * @returns `undefined` for any other.
 *
 * @example
 * ```ts
 * import { directAddress } from "./mod.ts";
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
