import type { Server } from "node:https";
import { type Clock, sleep } from "../base/mod.ts";
import { type CertificateAndKey, CertificatesByName, type ServerCertificates } from "./certificates.ts";
import { HttpsConnections } from "./connections.ts";
import { isDemanding, meets, type TlsDemands } from "./demands.ts";
import { answer, type HttpsHandler, refuse } from "./exchange.ts";
import { hasModestCertificate } from "./peer.ts";
import { Unanswered } from "./unanswered.ts";
import { ServerConnections } from "./server_connections.ts";

/** Options of {@link HttpsServer}. */
export interface HttpsServerOptions {
  readonly clock: Clock;
  readonly hostname: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Whether other servers that also set this may listen at the same port. */
  readonly isPortShared?: boolean;
  readonly certificates: ServerCertificates;
  readonly demands?: TlsDemands;
  readonly handler: HttpsHandler;
}

/** How long a connection may be idle, and how long a client may take to send headers; upstream's limits. */
const IDLE_MS = 90_000;
const HEADERS_MS = 32_000;
/** Upstream's servers accept 1 MiB, but hundreds of connections must not use hundreds of MiB. */
const MAX_HEADER_BYTES = 64 << 10;
/** How long `close` waits for requests to finish; upstream's servers do not wait. */
const CLOSES_WITHIN_MS = 5000;

/**
 * An HTTPS server that asks its clients for certificates, which `Deno.serve` cannot. It speaks HTTP/1.1 and 1.0.
 *
 * Contract:
 * 1. A client may present any certificate, or none: the receiver verifies it, and refuses it with an answer.
 * 2. `use` replaces the server's certificates for connections made from then on.
 * 3. `close` lets requests finish, for five seconds at most, and leaves neither connections nor timers.
 * 4. A connection that does not meet the demands, or whose client certificate is over 8 KiB, is closed after its
 *    handshake, before anything is read.
 * 5. Requests that are not HTTP, or have an impossible path, are answered with 400, targets over 8 KiB with 414,
 *    headers over 64 KiB or with over 200 names with 431; a client that is slow to send them gets no answer.
 * 6. A target with scheme and host counts as one without them, as with Go's servers. `OPTIONS *` asks for nothing.
 * 7. A client that sends more than 100 requests without taking their answers loses the connection: Node would keep all
 *    answers. So does one that takes nothing of an answer for 90 seconds.
 *
 * {@link HttpsConnections} bounds the connections, in all and for each address.
 */
export class HttpsServer implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #server: Server;
  readonly #byName: CertificatesByName;
  readonly #bounded: HttpsConnections;
  readonly #connections: ServerConnections;
  readonly #answering = new Set<Promise<void>>();
  #closing: Promise<void> | undefined;

  private constructor({ createServer, createSecureContext }: NodeModules, options: HttpsServerOptions) {
    const { clock, certificates, demands = {}, handler } = options;
    this.#clock = clock;
    this.#byName = new CertificatesByName(createSecureContext, certificates.named);
    const sni = certificates.named?.length ? { SNICallback: this.#byName.choose } : {};
    const limits = { maxHeaderSize: MAX_HEADER_BYTES, handshakeTimeout: HEADERS_MS };
    const unanswered = new Unanswered();
    const server = createServer({ ...tlsOptions(certificates.own), ...sni, ...limits }, (message, out) => {
      if (!unanswered.admits(message.socket, out)) return;
      out.once("close", this.#bounded.began(message.socket));
      const answered = answer(message, out, handler).finally(() => this.#answering.delete(answered));
      this.#answering.add(answered);
    });
    server.keepAliveTimeout = IDLE_MS;
    server.headersTimeout = HEADERS_MS;
    // An answer may take longer to compute than to send.
    server.setTimeout(IDLE_MS, (socket) => {
      if (socket.writableLength > 0 || !this.#bounded.isBusy(socket)) socket.destroy();
    });
    server.on("clientError", refuse);
    server.on("secureConnection", (socket) => {
      if (!meets(socket, demands) || !hasModestCertificate(socket)) socket.destroy();
    });
    this.#server = server;
    this.#bounded = new HttpsConnections(clock, server);
    this.#connections = new ServerConnections(server);
  }

  /**
   * Starts listening.
   *
   * @throws {Error} If the address is unavailable, or certificate and key do not match; the message names the address.
   */
  static async listen(options: HttpsServerOptions): Promise<HttpsServer> {
    const { hostname, port, demands = {} } = options;
    const [{ createServer }, { createSecureContext }] = await Promise.all([import("node:https"), import("node:tls")]);
    try {
      const server = new HttpsServer({ createServer, createSecureContext }, options);
      await server.#listen(options);
      if (server.asksForCertificates || !isDemanding(demands)) return server;
      await server.close();
      throw new Error(
        "this runtime cannot refuse versions of TLS and cipher suites (--tls-min-version, --tls-cipher-suites): take a newer one",
      );
    } catch (error) {
      const where = `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
      throw new Error(`listen tcp ${where}: ${reasonOf(error as Error)}`, { cause: error });
    }
  }

  #listen({ hostname, port, isPortShared = false }: HttpsServerOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      // Node's types lack `reusePort`.
      const address: object = { port, host: hostname, ...isPortShared && { reusePort: true } };
      this.#server.listen(address, resolve);
    });
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /**
   * Implements sentence 2 of the contract.
   * @throws {Error} If a certificate and its key cannot be used; the old ones stay.
   */
  use({ own, named }: ServerCertificates): void {
    if (!this.asksForCertificates) throw new Error("this runtime cannot change a server's certificate: start it again");
    this.#byName.use(named);
    this.#server.setSecureContext(tlsOptions(own));
  }

  /**
   * Whether the runtime can request client certificates. Deno 2.4 cannot, nor can it replace the server's certificate,
   * select one by name, or share a port.
   */
  get asksForCertificates(): boolean {
    return typeof this.#server.setSecureContext === "function";
  }

  /** How many connections are open, and how many were refused so far, or ended for others. */
  get connections(): { readonly count: number; readonly refused: number } {
    return this.#bounded;
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    const late = new AbortController();
    await Promise.race([this.#finish(), sleep(this.#clock, CLOSES_WITHIN_MS, late.signal)]);
    late.abort();
    this.#server.closeAllConnections();
    this.#bounded.close();
    await closed;
  }

  /** Waits until all answers in progress are sent. */
  async #finish(): Promise<void> {
    await Promise.all(this.#answering);
    await this.#connections.end();
  }
}

type NodeModules =
  & Pick<typeof import("node:https"), "createServer">
  & Pick<typeof import("node:tls"), "createSecureContext">;

function tlsOptions({ cert, key }: CertificateAndKey) {
  return { cert, key, requestCert: true, rejectUnauthorized: false, minVersion: "TLSv1.2" as const };
}

function reasonOf(error: Error): string {
  const code = "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") return "address already in use";
  if (code === "EADDRNOTAVAIL") return "cannot assign requested address";
  return code === "EACCES" ? "permission denied" : error.message;
}
