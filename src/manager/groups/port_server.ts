import { connectionFailureOf, exchangeOf, type Transport, WriteRefusedError } from "../../client/mod.ts";
import type { Poster } from "../hub/mod.ts";
import type { PortCancel, PortFailure, PortRequest, PortResponse } from "./port_messages.ts";

/** Headers of answers that clients look at. */
const PASSED_HEADERS = ["content-type", "retry-after", "warning"];

/**
 * Sends the requests of a group, with this thread's credentials and behind its fence.
 *
 * Contract:
 * 1. Every request is answered once, with a response or a failure, unless it was cancelled.
 * 2. After `close` nothing is answered any more, and what was under way is given up.
 */
export class PortServer {
  readonly #port: Poster<PortResponse | PortFailure>;
  readonly #exchange;
  readonly #running = new Map<number, AbortController>();

  constructor(port: Poster<PortResponse | PortFailure>, transport: Transport) {
    this.#port = port;
    this.#exchange = exchangeOf(transport);
  }

  /** Takes a message of the group. */
  receive(message: PortRequest | PortCancel): void {
    if (message.what === "request") return void this.#serve(message);
    this.#running.get(message.id)?.abort();
    this.#running.delete(message.id);
  }

  close(): void {
    for (const running of this.#running.values()) running.abort();
    this.#running.clear();
  }

  async #serve({ id, method, url, headers, body }: PortRequest): Promise<void> {
    const running = new AbortController();
    this.#running.set(id, running);
    const answer = await this.#send({ id, method, url, headers, body }, running.signal);
    if (this.#running.delete(id)) this.#port.postMessage(answer);
  }

  async #send({ id, ...request }: Omit<PortRequest, "what">, signal: AbortSignal): Promise<PortResponse | PortFailure> {
    try {
      const response = await this.#exchange({ ...request, signal });
      const headers: Record<string, string> = {};
      for (const name of PASSED_HEADERS) {
        const value = response.header(name);
        if (value !== undefined) headers[name] = value;
      }
      return { what: "response", id, status: response.status, headers, body: await response.text() };
    } catch (error) {
      const failure = error instanceof WriteRefusedError ? "fenced" : connectionFailureOf(error) ?? "other";
      return { what: "failure", id, failure, message: error instanceof Error ? error.message : String(error) };
    }
  }
}
