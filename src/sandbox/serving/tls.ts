import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "node:https";
import type { TLSSocket } from "node:tls";
import { nodeRequest, TlsConnections } from "../../base/mod.ts";
import type { ClientCertificate } from "../apiserver/mod.ts";
import type { CertificateAuthority } from "./certificate_authority.ts";
import type { Servable, ServedApiServer, ServeOptions } from "./http.ts";
import { listenErrorOf } from "./listen_error.ts";
import { send } from "./node_exchange.ts";

/** Names by which pods and people reach the server; the first address of the Services is added. */
const NAMES = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"];
const CLUSTER_NAME = "kubernetes.default.svc.cluster.local";
const ADDRESSES = ["127.0.0.1", "::1"];
/** Longer than clients keep a connection that they do not use, so that it is they who close it. */
const KEEP_ALIVE_MS = 180_000;

/**
 * Makes an embedded API server reachable by HTTPS, with a certificate of `authority`; client certificates of that
 * authority say who sends a request. It speaks HTTP/1.1, through `node:https`: `Deno.serve` cannot ask clients for
 * certificates.
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
  { apiServer, authority, port = 0, hostname = "127.0.0.1" }: ServeOptions & {
    readonly authority: CertificateAuthority;
  },
): Promise<ServedApiServer> {
  const { createServer } = await import("node:https");
  const own = await authority.serving([...NAMES, CLUSTER_NAME], [...ADDRESSES, apiServer.serviceAddress]);
  const exchanges = new Exchanges(apiServer);
  // Who shows a certificate of somebody else's authority is told so by an answer, not by a connection that fails.
  const options = { ...own, ca: authority.cert, requestCert: true, rejectUnauthorized: false };
  const server = createServer(options, exchanges.serve);
  const connections = new TlsConnections(server);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await listening(server, { port, hostname });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  let closing: Promise<void> | undefined;
  const close = () => closing ??= closed(server, { exchanges, connections });
  return { url: `https://${hostname}:${bound}`, close, [Symbol.asyncDispose]: close };
}

function listening(server: Server, where: { readonly port: number; readonly hostname: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(listenErrorOf(error, where)));
    server.listen(where.port, where.hostname, resolve);
  });
}

async function closed(
  server: Server,
  { exchanges, connections }: { readonly exchanges: Exchanges; readonly connections: TlsConnections },
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  await exchanges.finish();
  await connections.end();
  server.closeAllConnections();
  await promise;
}

/** Requests that are being answered. */
class Exchanges {
  readonly #apiServer: Servable;
  readonly #running = new Set<Promise<void>>();

  constructor(apiServer: Servable) {
    this.#apiServer = apiServer;
  }

  readonly serve = (message: IncomingMessage, out: ServerResponse): void => {
    const answered = this.#answer(message, out).finally(() => this.#running.delete(answered));
    this.#running.add(answered);
  };

  /** Ends watches and lets all else finish. */
  async finish(): Promise<void> {
    while (this.#running.size > 0) {
      this.#apiServer.closeWatches();
      await Promise.race(this.#running);
    }
  }

  async #answer(message: IncomingMessage, out: ServerResponse): Promise<void> {
    const request = nodeRequest(message, "https://kubernetes");
    if (!request) return void out.writeHead(400).end();
    try {
      await send(await this.#apiServer.fetch(request, certificateOf(message.socket as Partial<TLSSocket>)), out);
    } catch {
      // A connection that is to be lost.
      out.destroy();
    }
  }
}

/** Nothing where the runtime cannot ask for certificates, as Deno 2.4 cannot. */
function certificateOf(socket: Partial<TLSSocket>): ClientCertificate | undefined {
  const { subject, fingerprint256 = "" } = socket.getPeerCertificate?.() ?? {};
  if (!subject) return undefined;
  const texts = (value: string | string[] | undefined) => value === undefined ? [] : [value].flat();
  return {
    isVerified: socket.authorized === true,
    commonName: texts(subject.CN).at(-1) ?? "",
    organizations: texts(subject.O),
    fingerprint: fingerprint256.replaceAll(":", "").toLowerCase(),
  };
}
