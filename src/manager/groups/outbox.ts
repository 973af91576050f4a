import type { Poster } from "../hub/mod.ts";

/**
 * Gathers what is posted in one go and sends it as one message: between threads a message costs far more than its content.
 *
 * Contract:
 * 1. Messages arrive in the order in which they were posted, and none waits for another turn of the event loop.
 * 2. What is posted after `close` is dropped.
 */
export class Outbox<M> implements Poster<M> {
  readonly #port: Poster<readonly M[]>;
  #messages: M[] = [];
  #transfer: Transferable[] = [];
  #isClosed = false;

  constructor(port: Poster<readonly M[]>) {
    this.#port = port;
  }

  postMessage(message: M, transfer?: Transferable[]): void {
    if (this.#isClosed) return;
    if (this.#messages.length === 0) queueMicrotask(() => this.#flush());
    this.#messages.push(message);
    if (transfer) this.#transfer.push(...transfer);
  }

  close(): void {
    this.#isClosed = true;
    this.#messages = [];
    this.#transfer = [];
  }

  #flush(): void {
    if (this.#messages.length === 0) return;
    const [messages, transfer] = [this.#messages, this.#transfer];
    this.#messages = [];
    this.#transfer = [];
    this.#port.postMessage(messages, transfer);
  }
}
