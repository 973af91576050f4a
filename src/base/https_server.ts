import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "node:https";
import type { TLSSocket } from "node:tls";

/** A certificate chain and its key, in PEM. */
export interface CertificateAndKey {
  readonly cert: string;
  readonly key: string;
}

/** Who is at the other end of a request's connection. */
export interface Peer {
  readonly address: string;
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

/** What is served where. */
export interface HttpsServerOptions {
  readonly hostname: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly certificate: CertificateAndKey;
  /** Answers a request; a rejection loses the connection. */
  handler(request: Request, peer: Peer): Promise<Response>;
}

/** How long a connection may idle, and how long its client may take for a request's headers, as upstream's servers have it. */
const IDLE_MS = 90_000;
const HEADERS_MS = 32_000;

/**
 * An HTTPS server that asks its clients for certificates, which `Deno.serve` cannot. It speaks HTTP/1.1.
 *
 * Contract:
 * 1. A client may present a certificate of anybody, or none: the receiver judges it, and says no by an answer.
 * 2. `use` replaces the server's certificate for connections made from then on.
 * 3. `close` lets requests finish, and leaves neither connections nor timers.
 */
export class HttpsServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #answering: ReadonlySet<Promise<void>>;
  #closing: Promise<void> | undefined;
  readonly port: number;

  private constructor(server: Server, answering: ReadonlySet<Promise<void>>) {
    this.#server = server;
    this.#answering = answering;
    const address = server.address();
    this.port = typeof address === "object" && address !== null ? address.port : 0;
  }

  /**
   * Begins to listen.
   *
   * @throws {Error} If the address cannot be had, or certificate and key do not fit; the message says which address.
   */
  static async listen({ hostname, port, certificate, handler }: HttpsServerOptions): Promise<HttpsServer> {
    const { createServer } = await import("node:https");
    const answering = new Set<Promise<void>>();
    const where = `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
    try {
      const server = createServer(tlsOptions(certificate), (message, out) => {
        const answered = answer(message, out, handler).finally(() => answering.delete(answered));
        answering.add(answered);
      });
      server.keepAliveTimeout = IDLE_MS;
      server.headersTimeout = HEADERS_MS;
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, hostname, resolve);
      });
      return new HttpsServer(server, answering);
    } catch (error) {
      throw new Error(`listen tcp ${where}: ${reasonOf(error as Error)}`, { cause: error });
    }
  }

  /** Sentence 2 of the contract. @throws {Error} If certificate and key cannot be used; the old ones stay. */
  use(certificate: CertificateAndKey): void {
    if (!this.asksForCertificates) throw new Error("this runtime cannot change a server's certificate: start it again");
    this.#server.setSecureContext(tlsOptions(certificate));
  }

  /** Whether the runtime can ask clients for certificates at all: Deno 2.4 cannot, nor can it replace its own. */
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

function tlsOptions({ cert, key }: CertificateAndKey) {
  return { cert, key, requestCert: true, rejectUnauthorized: false, minVersion: "TLSv1.2" as const };
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
  const request = requestOf(message);
  if (!request) return void out.writeHead(400, { connection: "close" }).end();
  try {
    await send(await handler(request, peerOf(message)), message, out);
  } catch {
    // An answer that broke off can only be shown by breaking off the connection.
    out.destroy();
  }
}

/** The request that Node has read, as one of `fetch`; `undefined` if it can be none. */
function requestOf(message: IncomingMessage): Request | undefined {
  const { method = "GET", rawHeaders } = message;
  try {
    const headers = new Headers();
    for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i], rawHeaders[i + 1]);
    const hasBody = method !== "GET" && method !== "HEAD";
    const body = hasBody ? ReadableStream.from<Uint8Array<ArrayBuffer>>(message) : undefined;
    // A path that begins with two slashes is a path, not a host.
    return new Request(`https://localhost${message.url ?? "/"}`, { method, headers, body });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function peerOf(message: IncomingMessage): Peer {
  const socket = message.socket as Partial<TLSSocket>;
  // A runtime that cannot ask for certificates has no such method.
  const raw = socket.getPeerCertificate?.().raw;
  return {
    address: `${socket.remoteAddress ?? ""}:${socket.remotePort ?? 0}`,
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
