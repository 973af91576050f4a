import {
  ConnectionError,
  type Transport,
  webTransport,
  type WireRequest,
  type WireResponse,
  WriteRefusedError,
} from "../../client/mod.ts";
import type { Poster } from "../hub/mod.ts";
import type { PortCancel, PortFailure, PortRequest, PortResponse } from "./port_messages.ts";

interface Waiting {
  readonly request: WireRequest;
  resolve(response: WireResponse): void;
  reject(error: unknown): void;
}

/**
 * A transport for a thread that has neither credentials nor network: requests are sent by the other end of a port.
 *
 * Contract:
 * 1. Answers come to the requests they belong to, in whatever order.
 * 2. A request whose signal aborts is given up at both ends.
 * 3. A connection that failed there fails here in the same way, and a write that was refused is refused.
 */
export class PortTransport {
  readonly #port: Poster<PortRequest | PortCancel>;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor(port: Poster<PortRequest | PortCancel>) {
    this.#port = port;
  }

  /** What the client called `name` sends through. */
  transport(name: string): Transport {
    return webTransport((request) => this.#exchange(name, request));
  }

  /** Takes an answer of the other end. */
  receive(message: PortResponse | PortFailure): void {
    const waiting = this.#waiting.get(message.id);
    if (!waiting) return;
    this.#waiting.delete(message.id);
    if (message.what === "response") return waiting.resolve(new PortedResponse(message));
    const { failure, message: text } = message;
    waiting.reject(failure === "fenced" ? new WriteRefusedError(waiting.request) : new ConnectionError(failure, text));
  }

  #exchange(client: string, request: WireRequest): Promise<WireResponse> {
    const { method, url, headers, body, signal } = request;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<WireResponse>();
    const onAbort = () => {
      this.#waiting.delete(id);
      this.#port.postMessage({ what: "cancel", id });
      reject(signal!.reason);
    };
    this.#waiting.set(id, { request, resolve, reject });
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#port.postMessage({ what: "request", id, client, method, url, headers, body });
    return promise.finally(() => signal?.removeEventListener("abort", onAbort));
  }
}

class PortedResponse implements WireResponse {
  readonly #message: PortResponse;

  constructor(message: PortResponse) {
    this.#message = message;
  }

  get status(): number {
    return this.#message.status;
  }

  get bodyBytes(): number {
    return this.#message.body.length;
  }

  header(name: string): string | undefined {
    return this.#message.headers[name];
  }

  text(): Promise<string> {
    return Promise.resolve(this.#message.body);
  }

  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new Blob([this.#message.body]).stream();
  }

  discard(): void {}
}
