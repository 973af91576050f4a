import { unlessAborted } from "../base/mod.ts";
import { MAX_LIST_BYTES } from "./body_limits.ts";
import { emptyStream, reportingEnd, textOf } from "./body_stream.ts";

/** A request on the wire: plain data, so that a transport need not build web objects for thousands of them. */
export interface WireRequest {
  readonly method: string;
  /** Absolute, percent-encoded. */
  readonly url: string;
  /** Names in lower case. An array is sent as one line for each value. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  /** The answer lasts: the request takes no place among the requests in flight, which are limited. */
  readonly isWatch?: boolean;
  /** The answer may be so long that it should come compressed. The caller sees it decompressed. */
  readonly isLong?: boolean;
  /** Ends the exchange, including the response's body. */
  readonly signal?: AbortSignal;
}

/** A response whose body must be taken exactly once: by `text`, `stream` or `discard`. */
export interface WireResponse {
  readonly status: number;
  /** The first value of the header called `name` (lower case). */
  header(name: string): string | undefined;
  /** The body. If it is longer than `maxBytes`, only its beginning: `isCut` is then true and the rest is discarded. */
  text(maxBytes?: number): Promise<string>;
  readonly isCut: boolean;
  /**
   * Cancelling the stream ends the connection.
   *
   * @param onEnd Called, perhaps more than once, when nothing more is awaited from the server.
   */
  stream(onEnd?: () => void): ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Discards the body and closes the connection. */
  discard(): void;
  /** Bytes of the body received so far. */
  readonly bodyBytes: number;
}

/** Sends one request and resolves when the head of the response has arrived. */
export type Exchange = (request: WireRequest) => Promise<WireResponse>;

/**
 * Reaches an API server: a function shaped like `fetch`. The embedded API server is one, and {@link httpTransport}
 * returns one.
 *
 * A transport that does not need web objects also offers `exchange`, which {@link Client} then prefers: building a
 * `Request` and a `Response` costs more than a small request itself.
 *
 * @example A whole API server for a test
 * ```ts
 * import { PODS } from "kubeloop/api";
 * import { Client, type Transport } from "kubeloop/client";
 * import { FakeWorld } from "kubeloop/world";
 * import { assertEquals } from "@std/assert";
 *
 * const transport: Transport = (request) => Promise.resolve(Response.json({ metadata: { uid: request.url } }));
 * const client = new Client({ world: new FakeWorld(), transport, server: "https://example.test", userAgent: "docs" });
 * const pod = await client.get(PODS, { namespace: "default", name: "web-0" });
 * assertEquals(pod.metadata?.uid, "https://example.test/api/v1/namespaces/default/pods/web-0");
 * ```
 */
export interface Transport {
  (request: Request): Promise<Response>;
  readonly exchange?: Exchange;
}

/** The lean form of `transport`: its own, or one that wraps its web objects. */
export function exchangeOf(transport: Transport): Exchange {
  return transport.exchange ??
    untilAborted(async (request) => new WebResponse(await transport(webRequest(request))));
}

/** Follows the request's signal even if `exchange` does not. */
export function untilAborted(exchange: Exchange): Exchange {
  return async (request) => {
    const { signal } = request;
    const responding = exchange(request);
    if (!signal) return await responding;
    try {
      return await unlessAborted(responding, signal);
    } catch (error) {
      // No caller is left for an answer that comes after all.
      if (signal.aborted) responding.then((late) => late.discard()).catch(() => {});
      throw error;
    }
  };
}

/** The `fetch`-shaped form of `exchange`. */
export function webTransport(exchange: Exchange): Transport {
  const transport = async (request: Request): Promise<Response> => {
    const body = request.body === null ? undefined : await request.text();
    const { method, url, signal } = request;
    const response = await exchange({ method, url, headers: Object.fromEntries(request.headers), body, signal });
    return webResponse(response);
  };
  return Object.assign(transport, { exchange });
}

function webRequest({ method, url, headers, body, signal }: WireRequest): Request {
  const web = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of typeof value === "string" ? [value] : value) web.append(name, one);
  }
  return new Request(url, { method, headers: web, body, signal });
}

/** The headers that callers of a fetch-shaped transport read; a lean response only looks up headers by name. */
const PASSED_HEADERS = ["content-type", "retry-after", "location", "audit-id", "warning"];

function webResponse(response: WireResponse): Response {
  const headers = new Headers();
  for (const name of PASSED_HEADERS) {
    const value = response.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  const { status } = response;
  const bodyless = status === 204 || status === 205 || status === 304;
  if (bodyless) response.discard();
  return new Response(bodyless ? null : response.stream(), { status, headers });
}

/** How long a body is, where the response says so: HTTP ends it there. Of a compressed one, nothing is known. */
function lengthOf({ headers }: Response): number {
  const length = headers.get("content-length") ?? "";
  return /^\d{1,15}$/.test(length) && !headers.has("content-encoding") ? Number(length) : Infinity;
}

class WebResponse implements WireResponse {
  readonly #response: Response;
  bodyBytes = 0;
  isCut = false;

  constructor(response: Response) {
    this.#response = response;
  }

  get status(): number {
    return this.#response.status;
  }

  header(name: string): string | undefined {
    return this.#response.headers.get(name) ?? undefined;
  }

  async text(maxBytes = MAX_LIST_BYTES): Promise<string> {
    const length = lengthOf(this.#response);
    if (length <= maxBytes) {
      // Taking a body whole costs a tenth of reading it as a stream.
      this.bodyBytes = length;
      return await this.#response.text();
    }
    const { text, bytes, isCut } = await textOf(this.stream(), maxBytes);
    this.bodyBytes = bytes;
    this.isCut = isCut;
    return text;
  }

  stream(onEnd?: () => void): ReadableStream<Uint8Array<ArrayBuffer>> {
    // Older Deno types do not state that a body's bytes are never shared with another thread.
    const body = this.#response.body as ReadableStream<Uint8Array<ArrayBuffer>> | null;
    return reportingEnd(body ?? emptyStream(), onEnd);
  }

  discard(): void {
    this.#response.body?.cancel().catch(() => {}); // why a discarded body failed does not matter
  }
}
