import type { CertificateAuthority } from "./certificate_authority.ts";
import { serveByNode, type ServedApiServer, type ServeOptions } from "./node_server.ts";

/** The server's names for pods and people; the first address of the Services is added. */
const NAMES = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"];
const CLUSTER_NAME = "kubernetes.default.svc.cluster.local";
const ADDRESSES = ["127.0.0.1", "::1"];

/**
 * Serves an embedded API server over HTTPS (HTTP/1.1), with a certificate of `authority`. Client certificates of that
 * authority identify users.
 *
 * @throws {ListenError} If the port is not available.
 *
 * @example
 * ```ts
 * import { createApiServer } from "kubeloop/apiserver";
 * import { MemoryLogger, systemWorld } from "kubeloop/world";
 * import { CertificateAuthority, serveApiServerOverTls } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const world = systemWorld(new MemoryLogger());
 * const authority = await CertificateAuthority.of(world);
 * const apiServer = createApiServer({ world, authentication: "required" });
 * await using served = await serveApiServerOverTls({ apiServer, authority });
 * using client = Deno.createHttpClient({ caCerts: [authority.cert] });
 * const headers = { authorization: `Bearer ${apiServer.adminToken}` };
 * const response = await fetch(`${served.url}/api/v1/namespaces/default`, { client, headers });
 * assertEquals((await response.json()).metadata.name, "default");
 * apiServer.close();
 * ```
 */
export async function serveApiServerOverTls(
  { authority, ...options }: ServeOptions & { readonly authority: CertificateAuthority },
): Promise<ServedApiServer> {
  const { createServer } = await import("node:https");
  const own = await authority.serving([...NAMES, CLUSTER_NAME], [...ADDRESSES, options.apiServer.serviceAddress]);
  // A client with a certificate of another authority gets a response instead of a failed handshake.
  const tls = { ...own, ca: authority.cert, requestCert: true, rejectUnauthorized: false };
  return await serveByNode(options, "https", (handler) => createServer(tls, handler));
}
