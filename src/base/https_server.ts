import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "node:https";
import type { Duplex } from "node:stream";
import type { createSecureContext, SecureContext, TLSSocket } from "node:tls";
import { nodeRequest } from "./node_request.ts";
import { requestPath } from "./request_path.ts";

/** A certificate chain and its key, in PEM. */
export interface CertificateAndKey {
  readonly cert: string;
  readonly key: string;
}

/** What a client asked for, as it was sent: a `Request` tidies paths up, and none can be a TRACE. */
export interface Asked {
  readonly method: string;
  /** The whole target, as it was written. */
  readonly target: string;
  /** Its path, unescaped: see {@link requestPath}. */
  readonly path: string;
}

/** Who is at the other end of a request's connection. */
export interface Peer {
  readonly address: string;
  readonly asked: Asked;
  /**
   * The certificate it presented, in DER. The handshake has proved that it holds the certificate's key, and nothing else:
   * who signed it is for the receiver to find out.
   */
  readonly certificate?: Uint8Array<ArrayBuffer>;
  /** Every value of a header as it was sent: `fetch`'s headers join them by commas that cannot be told from their own. */
  headerValues(name: string): readonly string[];
  /** Names of the headers that were sent, in lower case, each once. */
  readonly headerNames: readonly string[];
}

/** Certificates for connections whose client asks for one of these names; `*.` at the beginning stands for one label. */
export interface NamedCertificate extends CertificateAndKey {
  readonly names: readonly string[];
}

/** What a server shows its clients: its own certificate, unless they ask for a name that has another. */
export interface ServerCertificates {
  readonly own: CertificateAndKey;
  /** The first that has a name counts. */
  readonly named?: readonly NamedCertificate[];
}

/** Which connections are good enough. The runtime offers TLS 1.2 and 1.3, and no weak cipher suite. */
export interface TlsDemands {
  /** Whether TLS 1.2 is too old. */
  readonly isTls13Only?: boolean;
  /** Cipher suites of TLS 1.2 by their IANA names; empty for all that the runtime has. */
  readonly cipherSuites?: readonly string[];
}

/** What is served where. */
export interface HttpsServerOptions {
  readonly hostname: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Whether other servers may listen at the same port, if they say so too. */
  readonly isPortShared?: boolean;
  readonly certificates: ServerCertificates;
  readonly demands?: TlsDemands;
  /** Answers a request, which is a GET where TRACE was asked for; a rejection loses the connection. */
  handler(request: Request, peer: Peer): Promise<Response>;
}

/** How long a connection may idle, and how long its client may take for a request's headers, as upstream's servers have it. */
const IDLE_MS = 90_000;
const HEADERS_MS = 32_000;
const MAX_HEADER_BYTES = 1 << 20;

/** Requests of one connection whose answers are not sent yet. Clients in earnest wait for each answer. */
const MAX_UNANSWERED = 100;

/**
 * An HTTPS server that asks its clients for certificates, which `Deno.serve` cannot. It speaks HTTP/1.1 and 1.0.
 *
 * Contract:
 * 1. A client may present a certificate of anybody, or none: the receiver judges it, and says no by an answer.
 * 2. `use` replaces the server's certificates for connections made from then on.
 * 3. `close` lets requests finish, and leaves neither connections nor timers.
 * 4. A connection that does not meet the demands is closed after its handshake, before anything is read.
 * 5. What is not HTTP, or asks for what can be no path, is answered with 400, headers over 1 MiB with 431; who is slow to
 *    send them gets no answer.
 * 6. A target with scheme and host is one without them, as Go's servers take it: the path counts. `OPTIONS *` asks nothing.
 * 7. Who sends more than 100 requests without taking their answers loses the connection: Node would keep all answers.
 */
export class HttpsServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #answering: ReadonlySet<Promise<void>>;
  readonly #names: Names;
  #closing: Promise<void> | undefined;
  readonly port: number;

  private constructor(server: Server, answering: ReadonlySet<Promise<void>>, names: Names) {
    this.#server = server;
    this.#answering = answering;
    this.#names = names;
    const address = server.address();
    this.port = typeof address === "object" && address !== null ? address.port : 0;
  }

  /**
   * Begins to listen.
   *
   * @throws {Error} If the address cannot be had, or certificate and key do not fit; the message says which address.
   */
  static async listen(options: HttpsServerOptions): Promise<HttpsServer> {
    const { hostname, port, isPortShared = false, certificates, demands = {}, handler } = options;
    const [{ createServer }, { createSecureContext }] = await Promise.all([import("node:https"), import("node:tls")]);
    const answering = new Set<Promise<void>>();
    const where = `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
    try {
      const names = new Names(createSecureContext, certificates.named);
      const sni = certificates.named?.length ? { SNICallback: names.choose } : {};
      const limits = { maxHeaderSize: MAX_HEADER_BYTES, handshakeTimeout: HEADERS_MS };
      const unanswered = new Unanswered();
      const server = createServer({ ...tlsOptions(certificates.own), ...sni, ...limits }, (message, out) => {
        if (!unanswered.admits(message.socket, out)) return;
        const answered = answer(message, out, handler).finally(() => answering.delete(answered));
        answering.add(answered);
      });
      server.keepAliveTimeout = IDLE_MS;
      server.headersTimeout = HEADERS_MS;
      server.on("clientError", refuse);
      server.on("secureConnection", (socket) => {
        if (!meets(socket, demands)) socket.destroy();
      });
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        // Node's types do not know of `reusePort` yet.
        const address: object = { port, host: hostname, ...isPortShared && { reusePort: true } };
        server.listen(address, resolve);
      });
      const listening = new HttpsServer(server, answering, names);
      if (listening.asksForCertificates || !isDemanding(demands)) return listening;
      await listening.close();
      throw new Error(
        "this runtime cannot refuse versions of TLS and cipher suites (--tls-min-version, --tls-cipher-suites): take a newer one",
      );
    } catch (error) {
      throw new Error(`listen tcp ${where}: ${reasonOf(error as Error)}`, { cause: error });
    }
  }

  /** Sentence 2 of the contract. @throws {Error} If a certificate and its key cannot be used; the old ones stay. */
  use({ own, named }: ServerCertificates): void {
    if (!this.asksForCertificates) throw new Error("this runtime cannot change a server's certificate: start it again");
    this.#names.use(named);
    this.#server.setSecureContext(tlsOptions(own));
  }

  /**
   * Whether the runtime can ask clients for certificates at all: Deno 2.4 cannot, nor can it replace its own, have another one
   * for a name, or share a port.
   */
  get asksForCertificates(): boolean {
    return typeof this.#server.setSecureContext === "function";
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await Promise.all(this.#answering);
    this.#server.closeAllConnections();
    await promise;
  }
}

/** Sentence 7 of the contract. */
class Unanswered {
  readonly #bySocket = new WeakMap<Duplex, number>();

  /** Whether a request of `socket` is to be answered with `out`. */
  admits(socket: Duplex, out: ServerResponse): boolean {
    // The parser hands out what it has read already, after the connection is gone as well.
    if (socket.destroyed) return false;
    const count = (this.#bySocket.get(socket) ?? 0) + 1;
    if (count > MAX_UNANSWERED) {
      socket.destroy();
      return false;
    }
    this.#bySocket.set(socket, count);
    out.once("finish", () => this.#bySocket.set(socket, this.#bySocket.get(socket)! - 1));
    return true;
  }
}

/** Finds the certificate for the name that a client asks for. */
class Names {
  readonly #create: typeof createSecureContext;
  #contexts: ReadonlyMap<string, SecureContext> = new Map();

  constructor(create: typeof createSecureContext, named: ServerCertificates["named"]) {
    this.#create = create;
    this.use(named);
  }

  use(named: ServerCertificates["named"] = []): void {
    const contexts = new Map<string, SecureContext>();
    for (const { cert, key, names } of named) {
      const context = this.#create({ cert, key });
      for (const name of names) if (!contexts.has(name)) contexts.set(name, context);
    }
    this.#contexts = contexts;
  }

  readonly choose = (asked: string, chosen: (error: Error | null, context?: SecureContext) => void): void => {
    const name = asked.toLowerCase().replace(/\.$/, "");
    chosen(null, this.#contexts.get(name) ?? this.#contexts.get(name.replace(/^[^.]+/, "*")));
  };
}

function tlsOptions({ cert, key }: CertificateAndKey) {
  return { cert, key, requestCert: true, rejectUnauthorized: false, minVersion: "TLSv1.2" as const };
}

function isDemanding({ isTls13Only = false, cipherSuites = [] }: TlsDemands): boolean {
  return isTls13Only || cipherSuites.length > 0;
}

/** The runtime takes no rules for a handshake, but tells what it came to. */
function meets(socket: TLSSocket, demands: TlsDemands): boolean {
  if (!isDemanding(demands)) return true;
  const { isTls13Only, cipherSuites = [] } = demands;
  if (socket.getProtocol() === "TLSv1.3") return true;
  return !isTls13Only && cipherSuites.some((suite) => openSslName(suite) === socket.getCipher().name);
}

/** `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256` is `ECDHE-RSA-AES128-GCM-SHA256`. */
function openSslName(suite: string): string {
  return suite.replace(/^TLS_/, "").replace("_WITH_", "_").replace(/AES_(\d+)/, "AES$1")
    .replace(/(CHACHA20_POLY1305)_SHA256$/, "$1").replaceAll("_", "-");
}

/** Sentence 5 of the contract. */
function refuse(error: Error, socket: Duplex): void {
  const code = "code" in error ? error.code : undefined;
  // What is still sent is not looked at: it would be refused again and again.
  socket.removeAllListeners("data");
  if (!socket.writable || typeof code !== "string" || !code.startsWith("HPE_")) return void socket.destroy();
  const said = code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
  const head = ["Content-Type: text/plain; charset=utf-8", "Connection: close"].join("\r\n");
  socket.end(`HTTP/1.1 ${said}\r\n${head}\r\n\r\n${said}`, () => socket.destroy());
}

function reasonOf(error: Error): string {
  const code = "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") return "address already in use";
  if (code === "EADDRNOTAVAIL") return "cannot assign requested address";
  return code === "EACCES" ? "permission denied" : error.message;
}

async function answer(
  message: IncomingMessage,
  out: ServerResponse,
  handler: HttpsServerOptions["handler"],
): Promise<void> {
  if (message.method === "OPTIONS" && message.url === "*") {
    return void out.writeHead(200, { "content-length": 0 }).end();
  }
  const { method = "GET", url: target = "/" } = message;
  const path = requestPath(target);
  const request = nodeRequest(message, "https://localhost", method === "TRACE" ? "GET" : method);
  if (path === undefined || !request) {
    return void out.writeHead(400, { "content-type": "text/plain; charset=utf-8", connection: "close" })
      .end("400 Bad Request");
  }
  try {
    await send(await handler(request, peerOf(message, { method, target, path })), message, out);
  } catch {
    // An answer that broke off can only be shown by breaking off the connection.
    out.destroy();
  }
}

function peerOf(message: IncomingMessage, asked: Asked): Peer {
  const socket = message.socket as Partial<TLSSocket>;
  // A runtime that cannot ask for certificates has no such method.
  const raw = socket.getPeerCertificate?.().raw;
  return {
    address: `${socket.remoteAddress ?? ""}:${socket.remotePort ?? 0}`,
    asked,
    certificate: raw && new Uint8Array(raw),
    headerNames: Object.keys(message.headers),
    headerValues: (name) =>
      message.rawHeaders.filter((_, i) => i % 2 === 1 && message.rawHeaders[i - 1].toLowerCase() === name),
  };
}

async function send(response: Response, message: IncomingMessage, out: ServerResponse): Promise<void> {
  const body = new Uint8Array(await response.arrayBuffer());
  const headers = Object.fromEntries(response.headers);
  // What is left of a body that nobody read would be taken for the next request.
  const unread = message.complete ? {} : { connection: "close" };
  out.writeHead(response.status, { ...headers, ...unread, "content-length": body.length });
  out.end(message.method === "HEAD" ? undefined : body);
}
