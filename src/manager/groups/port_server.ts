import { connectionFailureOf, type Exchange, exchangeOf, type Transport, WriteRefusedError } from "../../client/mod.ts";
import type { Poster } from "../hub/mod.ts";
import type { PortCancel, PortFailure, PortRequest, PortResponse } from "./port_messages.ts";

/** Headers of answers that clients look at. */
const PASSED_HEADERS = ["content-type", "retry-after", "warning"];

/** What the client of that name sends through: it has the credentials, and refuses to write without the lease. */
export type TransportOf = (client: string) => Transport;

/**
 * Sends the requests of a group, with this thread's credentials and behind its fence.
 *
 * Contract:
 * 1. Every request is answered once, with a response or a failure, unless it was cancelled.
 * 2. After `close` nothing is answered any more, and what was under way is given up.
 */
export class PortServer {
  readonly #port: Poster<PortResponse | PortFailure>;
  readonly #transport: TransportOf;
  readonly #exchanges = new Map<string, Exchange>();
  readonly #running = new Map<number, AbortController>();

  constructor(port: Poster<PortResponse | PortFailure>, transport: TransportOf) {
    this.#port = port;
    this.#transport = transport;
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

  async #serve(request: PortRequest): Promise<void> {
    const running = new AbortController();
    this.#running.set(request.id, running);
    const answer = await this.#send(request, running.signal);
    if (this.#running.delete(request.id)) this.#port.postMessage(answer);
  }

  #exchangeOf(client: string): Exchange {
    let exchange = this.#exchanges.get(client);
    if (!exchange) this.#exchanges.set(client, exchange = exchangeOf(this.#transport(client)));
    return exchange;
  }

  async #send(
    { id, client, method, url, headers, body }: PortRequest,
    signal: AbortSignal,
  ): Promise<PortResponse | PortFailure> {
    try {
      const response = await this.#exchangeOf(client)({ method, url, headers, body, signal });
      const passed: Record<string, string> = {};
      for (const name of PASSED_HEADERS) {
        const value = response.header(name);
        if (value !== undefined) passed[name] = value;
      }
      return { what: "response", id, status: response.status, headers: passed, body: await response.text() };
    } catch (error) {
      const failure = error instanceof WriteRefusedError ? "fenced" : connectionFailureOf(error) ?? "other";
      return { what: "failure", id, failure, message: error instanceof Error ? error.message : String(error) };
    }
  }
}
