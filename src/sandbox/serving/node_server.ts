import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { TLSSocket } from "node:tls";
import { nodeRequest, ServerConnections } from "../../https/mod.ts";
import type { ApiServer, ClientCertificate } from "../apiserver/mod.ts";
import { listenErrorOf } from "./listen_error.ts";
import { send } from "./node_exchange.ts";
import { isLoopback, webPageObjection } from "./web_pages.ts";

/** A listening server. */
export interface ServedApiServer extends AsyncDisposable {
  /** For example `http://127.0.0.1:8001`. */
  readonly url: string;
  /** Ends open watches, lets requests finish and stops listening. The API server itself stays open. */
  close(): Promise<void>;
}

/** The parts of an API server that serving needs, so that it can be wrapped. */
export type Servable = Pick<ApiServer, "closeWatches" | "fetch" | "serviceAddress">;

/** What to serve, and where. */
export interface ServeOptions {
  readonly apiServer: Servable;
  /** The default, 0, takes any free port. */
  readonly port?: number;
  /** 127.0.0.1 by default. */
  readonly hostname?: string;
}

/** Creates Node's server for a request handler. */
export type MakeServer = (
  handler: (message: IncomingMessage, out: ServerResponse) => void,
) => HttpServer | HttpsServer;

/** Longer than clients keep idle connections, so that the client closes them. */
const KEEP_ALIVE_MS = 180_000;

/**
 * Serves an API server with Node's server, for two reasons: `Deno.serve` cannot ask clients for certificates, and it
 * answers a POST with an upgrade, as `kubectl exec` sends, with an empty 400 of its own.
 *
 * @throws {ListenError} If the port is not available.
 */
export async function serveByNode(
  { apiServer, port = 0, hostname = "127.0.0.1" }: ServeOptions,
  scheme: "http" | "https",
  make: MakeServer,
): Promise<ServedApiServer> {
  const exchanges = new Exchanges(apiServer, { isForPrograms: scheme === "http" && isLoopback(hostname) });
  const server = make(exchanges.serve);
  const connections = new ServerConnections(server, scheme === "https" ? "secureConnection" : "connection");
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await listening(server, { port, hostname });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  let closing: Promise<void> | undefined;
  const close = () => closing ??= closed(server, { exchanges, connections });
  return { url: `${scheme}://${hostname}:${bound}`, close, [Symbol.asyncDispose]: close };
}

function listening(
  server: HttpServer | HttpsServer,
  where: { readonly port: number; readonly hostname: string },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(listenErrorOf(error, where)));
    server.listen(where.port, where.hostname, resolve);
  });
}

async function closed(
  server: HttpServer | HttpsServer,
  { exchanges, connections }: { readonly exchanges: Exchanges; readonly connections: ServerConnections },
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  await exchanges.finish();
  await connections.end();
  server.closeAllConnections();
  await promise;
}

/** Requests in progress. */
class Exchanges {
  readonly #apiServer: Servable;
  readonly #isForPrograms: boolean;
  readonly #running = new Set<Promise<void>>();

  /** @param options.isForPrograms Whether to refuse requests that may come from a web page. */
  constructor(apiServer: Servable, { isForPrograms }: { readonly isForPrograms: boolean }) {
    this.#apiServer = apiServer;
    this.#isForPrograms = isForPrograms;
  }

  readonly serve = (message: IncomingMessage, out: ServerResponse): void => {
    const answered = this.#answer(message, out).finally(() => this.#running.delete(answered));
    this.#running.add(answered);
  };

  /** Ends watches and waits for everything else. */
  async finish(): Promise<void> {
    while (this.#running.size > 0) {
      this.#apiServer.closeWatches();
      await Promise.race(this.#running);
    }
  }

  async #answer(message: IncomingMessage, out: ServerResponse): Promise<void> {
    const objection = this.#isForPrograms ? webPageObjection(message) : undefined;
    if (objection !== undefined) return refuse(out, objection);
    const request = nodeRequest(message, "https://kubernetes");
    if (!request) return void out.writeHead(400).end();
    try {
      await send(await this.#apiServer.fetch(request, certificateOf(message.socket as Partial<TLSSocket>)), out);
    } catch {
      // The connection must be dropped.
      out.destroy();
    }
  }
}

/** Responds with a Status, which kubectl shows. */
function refuse(out: ServerResponse, message: string): void {
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: "Forbidden",
    code: 403,
  };
  out.writeHead(403, { "content-type": "application/json", connection: "close" }).end(JSON.stringify(status));
}

/** `undefined` if the connection is not TLS or the runtime cannot ask for certificates, as Deno 2.4 cannot. */
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
