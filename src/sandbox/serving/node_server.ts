import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { TLSSocket } from "node:tls";
import { nodeRequest, ServerConnections } from "../../https/mod.ts";
import type { ApiServer, ClientCertificate } from "../apiserver/mod.ts";
import { listenErrorOf } from "./listen_error.ts";
import { send } from "./node_exchange.ts";
import { isLoopback, webPageObjection } from "./web_pages.ts";

/** A server that listens. */
export interface ServedApiServer extends AsyncDisposable {
  /** `http://127.0.0.1:8001` */
  readonly url: string;
  /** Ends open watches, lets requests finish and stops listening. The API server itself stays open. */
  close(): Promise<void>;
}

/** An API server as far as it has to be for serving it: something can be put around it. */
export type Servable = Pick<ApiServer, "closeWatches" | "fetch" | "serviceAddress">;

/** What is served where. */
export interface ServeOptions {
  readonly apiServer: Servable;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** 127.0.0.1 by default. */
  readonly hostname?: string;
}

/** Makes Node's server for a handler of requests. */
export type MakeServer = (
  handler: (message: IncomingMessage, out: ServerResponse) => void,
) => HttpServer | HttpsServer;

/** Longer than clients keep a connection that they do not use, so that it is they who close it. */
const KEEP_ALIVE_MS = 180_000;

/**
 * Has a server of Node's answer for an API server. It is Node's for two reasons: `Deno.serve` cannot ask clients for
 * certificates, and it answers a POST that wants to upgrade its connection, as `kubectl exec` does, by itself: with an
 * empty 400.
 *
 * @throws {ListenError} If the port cannot be had.
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

/** Requests that are being answered. */
class Exchanges {
  readonly #apiServer: Servable;
  readonly #isForPrograms: boolean;
  readonly #running = new Set<Promise<void>>();

  /** @param options.isForPrograms Whether requests that a web page may have sent are refused. */
  constructor(apiServer: Servable, { isForPrograms }: { readonly isForPrograms: boolean }) {
    this.#apiServer = apiServer;
    this.#isForPrograms = isForPrograms;
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
    const objection = this.#isForPrograms ? webPageObjection(message) : undefined;
    if (objection !== undefined) return refuse(out, objection);
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

/** As a Status, which kubectl shows. */
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

/** Nothing where the connection is not TLS, or the runtime cannot ask for certificates, as Deno 2.4 cannot. */
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
