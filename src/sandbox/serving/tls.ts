import type { CertificateAuthority } from "./certificate_authority.ts";
import { serveByNode, type ServedApiServer, type ServeOptions } from "./node_server.ts";

/** Names by which pods and people reach the server; the first address of the Services is added. */
const NAMES = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"];
const CLUSTER_NAME = "kubernetes.default.svc.cluster.local";
const ADDRESSES = ["127.0.0.1", "::1"];

/**
 * Makes an embedded API server reachable by HTTPS, with a certificate of `authority`; client certificates of that
 * authority say who sends a request. It speaks HTTP/1.1.
 *
 * @throws {ListenError} If the port cannot be had.
 *
 * @example
 * ```ts
 * import { MemoryLogger, systemWorld } from "../../base/mod.ts";
 * import { createApiServer } from "../apiserver/mod.ts";
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
  // Who shows a certificate of somebody else's authority is told so by an answer, not by a connection that fails.
  const tls = { ...own, ca: authority.cert, requestCert: true, rejectUnauthorized: false };
  return await serveByNode(options, "https", (handler) => createServer(tls, handler));
}
