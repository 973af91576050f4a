import type { World } from "../../base/mod.ts";
import { ConnectionError, connectionFailureOf } from "../connection_error.ts";
import { type Exchange, type Transport, webTransport, type WireRequest, type WireResponse } from "../transport.ts";
import { type HttpConnection, isStale } from "./connection.ts";
import { type ConnectionCounts, ConnectionPool, type PoolLimits } from "./connection_pool.ts";
import { dialer, type TlsSource } from "./dial.ts";
import { requestBytes } from "./request_bytes.ts";
import { RequestSlots, type SlotLimits } from "./request_slots.ts";
import { HttpResponse } from "./response.ts";
import type { Dial } from "./socket.ts";

/** What a real transport needs. */
export interface HttpTransportOptions extends Partial<PoolLimits>, Partial<SlotLimits> {
  readonly world: World;
  /** Base URL of the only server that may be reached. If absent, any server may be, and no secrets must be sent. */
  readonly server?: string;
  /** Asked before each connection is opened. The platform's roots and no client certificate if absent. */
  readonly tls?: TlsSource;
  /** `http:`, `https:` or `socks5:`. */
  readonly proxyUrl?: string;
  /** Whether long answers come as they are, instead of compressed. */
  readonly disableCompression?: boolean;
  /**
   * Called immediately before the bytes of a request go to the socket, and again before each piece that was not written
   * at once; throws to hold them back. This is the fence for a lost lease.
   */
  readonly beforeWrite?: (request: { readonly method: string; readonly url: string }) => void;
  /** Replaces opening a real connection. */
  readonly dial?: Dial;
}

/** The transport to a real API server. */
export interface HttpTransport extends Transport {
  readonly exchange: Exchange;
  /** TLS settings of new connections. */
  readonly tls?: TlsSource;
  /** Connections in use, connections idle, and requests waiting for one. */
  counts(): ConnectionCounts;
  /** Closes idle connections, so that later requests open new ones. */
  closeIdle(): void;
  /** Closes every connection, including watches, because the client certificate changed. */
  closeAll(reason: Error): void;
  /** Accepts no more requests and closes idle connections. Responses in progress may finish. */
  close(): void;
}

/**
 * Less than the 90 s after which kube-apiserver closes idle connections, so that requests rarely hit one that is being
 * closed.
 */
const IDLE_TIMEOUT_MS = 60_000;

/**
 * Enough to keep a server of two processors busy; more would only open more connections. A process has one transport
 * for watches and one for each group, of which there are three at most by default.
 */
const MAX_IN_FLIGHT = 40;

/**
 * A server that is merely busy answers sooner with so few requests in flight; webhooks that take longer let 40 begin in
 * a second.
 */
const SLOW_MS = 1000;

/** What a burst has opened: if some were closed after it, the next burst would pay for as many handshakes. */
const MAX_IDLE = MAX_IN_FLIGHT;

/**
 * kube-apiserver itself ends every request except watches after 60 s; a server that is silent for longer is gone. Less
 * than the 90 s that a request may take, so that the pool notices the silence and closes its other connections too.
 */
const DEAD_PEER_TIMEOUT_MS = 75_000;

const ACCEPT_GZIP = { "accept-encoding": "gzip" };

/**
 * HTTP/1.1 over plain sockets: one connection per request in progress, kept alive and reused.
 *
 * `fetch` takes three to four times the processor time for a small request, and its pooled HTTP/2 connections can leave
 * body reads hanging; a controller manager sends thousands of small requests and keeps dozens of watches.
 *
 * Contract:
 * 1. A request is on one connection alone, so that a watch that stalls holds up nothing else.
 * 2. A request that failed on a kept connection is sent once more on a new one if the server cannot have acted on it:
 *    it was not handed over in full, or it is a GET without a byte of an answer.
 * 3. `beforeWrite` runs before every sending, retries included, and before each further piece of a request too large to
 *    go out at once; no other code runs between it and the write.
 * 4. Requests to another server than `server` are refused: credentials are meant for that one.
 * 5. An aborted signal, or a cancelled body, closes the connection.
 * 6. Requests wait for a slot among {@link RequestSlots} until their response has been read; watches need none.
 *
 * @example
 * ```ts
 * import { Client, httpTransport } from "kubeloop/client";
 * import { FakeWorld } from "kubeloop/world";
 *
 * const world = new FakeWorld();
 * const server = "https://10.0.0.1:6443";
 * const transport = httpTransport({ world, server, tls: () => ({ ca: "-----BEGIN CERTIFICATE-----..." }) });
 * const client = new Client({ world, transport, server, userAgent: "docs" });
 * transport.close();
 * ```
 */
export function httpTransport(options: HttpTransportOptions): HttpTransport {
  const senders = new HttpSenders(options);
  return Object.assign(webTransport((request) => senders.exchange(request)), {
    exchange: (request: WireRequest) => senders.exchange(request),
    tls: options.tls,
    closeIdle: () => senders.pools.forEach((pool) => pool.closeIdle()),
    closeAll: (reason: Error) => senders.pools.forEach((pool) => pool.closeAll(reason)),
    close: () => senders.close(),
    counts: () => senders.counts(),
  });
}

/** One server's connections, and who may use them. */
interface Origin {
  readonly pool: ConnectionPool;
  readonly slots: RequestSlots;
}

/** Keeps servers apart. */
class HttpSenders {
  readonly #options: HttpTransportOptions;
  readonly #only?: string;
  readonly #byOrigin = new Map<string, Origin>();
  #isClosed = false;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#only = options.server === undefined ? undefined : new URL(options.server).origin;
  }

  get pools(): ConnectionPool[] {
    return Array.from(this.#byOrigin.values(), ({ pool }) => pool);
  }

  counts(): ConnectionCounts {
    const counts = { active: 0, idle: 0, waiting: 0 };
    for (const { pool, slots } of this.#byOrigin.values()) {
      counts.active += pool.counts.active;
      counts.idle += pool.counts.idle;
      counts.waiting += pool.counts.waiting + slots.waiting;
    }
    return counts;
  }

  close(): void {
    this.#isClosed = true;
    for (const { pool, slots } of this.#byOrigin.values()) {
      slots.close(transportClosed());
      pool.close();
    }
  }

  async exchange(request: WireRequest): Promise<WireResponse> {
    const { method, url, signal } = request;
    const pathStart = url.indexOf("/", url.indexOf("://") + 3);
    const origin = pathStart < 0 ? url : url.slice(0, pathStart);
    const { pool, slots } = this.#origin(origin, method);
    const host = origin.slice(origin.indexOf("://") + 3);
    const isCompressed = request.isLong && !this.#options.disableCompression;
    const sent = isCompressed ? { ...request, headers: { ...request.headers, ...ACCEPT_GZIP } } : request;
    const bytes = requestBytes(sent, { host, path: pathStart < 0 ? "/" : url.slice(pathStart) });
    if (request.isWatch) return await this.#send(request, { pool, bytes, onEnd: () => {} });
    const slot = await slots.take(signal).catch((error) => {
      throw signal?.aborted ? error : described(error, request);
    });
    const onEnd = () => slots.release(slot);
    try {
      return await this.#send(request, { pool, bytes, onEnd });
    } catch (error) {
      onEnd();
      throw error;
    }
  }

  async #send(
    request: WireRequest,
    { pool, ...sending }: Pick<Sending, "bytes" | "onEnd"> & { readonly pool: ConnectionPool },
  ): Promise<WireResponse> {
    const { method, url, signal } = request;
    const beforeWrite = () => this.#options.beforeWrite?.({ method, url });
    for (let isFresh = false;; isFresh = true) {
      const connection = await acquire(pool, { request, isFresh });
      try {
        signal?.throwIfAborted();
        beforeWrite();
      } catch (error) {
        pool.giveBack(connection);
        throw error;
      }
      try {
        return await send(connection, { ...sending, request, beforeMore: beforeWrite });
      } catch (error) {
        connection.close();
        if (isFresh || signal?.aborted || !isStale(connection, { error, method })) {
          throw described(connection.explain(error), request);
        }
      }
    }
  }

  #origin(origin: string, method: string): Origin {
    const known = this.#byOrigin.get(origin);
    if (known) return known;
    const { world: { clock }, tls, proxyUrl, maxConnections = 1000, maxIdle = MAX_IDLE } = this.#options;
    const { idleTimeoutMs = IDLE_TIMEOUT_MS, deadPeerTimeoutMs = DEAD_PEER_TIMEOUT_MS } = this.#options;
    const { maxInFlight = MAX_IN_FLIGHT, slowMs = SLOW_MS } = this.#options;
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    const isAllowed = url && /^https?:$/.test(url.protocol) && url.username === "" &&
      (this.#only === undefined || this.#only === url.origin);
    if (!isAllowed) {
      throw new TypeError(
        `Cannot send ${method} to ${origin}: this transport is for ${this.#only ?? "http and https"} only`,
      );
    }
    if (this.#isClosed) throw transportClosed();
    const dial = this.#options.dial ?? dialer({ clock, url, tls, proxyUrl });
    const created = {
      pool: new ConnectionPool(clock, dial, { maxConnections, maxIdle, idleTimeoutMs, deadPeerTimeoutMs }),
      slots: new RequestSlots(clock, { maxInFlight, slowMs }),
    };
    this.#byOrigin.set(origin, created);
    return created;
  }
}

function transportClosed(): ConnectionError {
  return new ConnectionError("other", "the transport is closed");
}

/** What is sent on a connection. */
interface Sending {
  readonly request: WireRequest;
  readonly bytes: Uint8Array;
  readonly beforeMore: () => void;
  /** Called once the response has been read, or given up. */
  readonly onEnd: () => void;
}

async function acquire(
  pool: ConnectionPool,
  { request, isFresh }: { readonly request: WireRequest; readonly isFresh: boolean },
): Promise<HttpConnection> {
  const { signal, isWatch } = request;
  try {
    return await pool.acquire({ signal, isFresh, isWatch });
  } catch (error) {
    throw signal?.aborted ? error : described(error, request);
  }
}

async function send(
  connection: HttpConnection,
  { request, bytes, beforeMore, onEnd }: Sending,
): Promise<WireResponse> {
  const { method, signal } = request;
  const onAbort = () => connection.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort);
  const { onEnd: toPool } = connection;
  let [hasAnswer, hasEnded] = [false, false]; // before the answer, it may be sent once more
  connection.onEnd = () => {
    hasEnded = true;
    signal?.removeEventListener("abort", onAbort);
    connection.onEnd = toPool;
    if (hasAnswer) onEnd();
    toPool();
  };
  const head = await connection.exchange(bytes, { method, beforeMore });
  hasAnswer = true;
  if (hasEnded) onEnd();
  const hasBody = !connection.isBodyEnded;
  if (!hasBody) connection.finish();
  const onFailure = (error: unknown) => {
    connection.close();
    return described(connection.explain(error), request);
  };
  return new HttpResponse(head, { connection: hasBody ? connection : undefined, onFailure });
}

/** Adds the request to a connection error, in the format of Go's HTTP client. */
function described(error: unknown, { method, url }: { readonly method: string; readonly url: string }): unknown {
  const failure = error instanceof Deno.errors.InvalidData ? "tls" : connectionFailureOf(error);
  if (!failure || !(error instanceof Error)) return error;
  const words = WORDS[failure] && !(error instanceof ConnectionError) ? WORDS[failure] : error.message;
  const verb = method.charAt(0) + method.slice(1).toLowerCase();
  return new ConnectionError(failure, `${verb} "${url}": ${words}`, { cause: error });
}

const WORDS: Readonly<Record<string, string>> = {
  refused: "connect: connection refused",
  reset: "read: connection reset by peer",
  eof: "unexpected EOF",
};
