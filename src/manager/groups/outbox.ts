import type { Clock, Timer } from "../../base/mod.ts";
import type { Poster } from "../hub/mod.ts";

/** When an {@link Outbox} sends. */
export interface OutboxOptions {
  readonly clock: Clock;
  /** The least time between two sendings. */
  readonly pauseMs: number;
}

/**
 * Sends messages to another thread in batches: waking a sleeping thread takes about 0.1 ms of CPU time, far more than a
 * message.
 *
 * Contract:
 * 1. Messages arrive in the order in which they were posted.
 * 2. The first after a pause goes out at the end of the turn; those that follow within `pauseMs` go out together after
 *    it.
 * 3. `flush` sends what waits at once: there may be no other turn.
 * 4. After `close` nothing is sent.
 */
export class Outbox<M> implements Poster<M> {
  readonly #port: Poster<readonly M[]>;
  readonly #clock: Clock;
  readonly #pauseMs: number;
  #messages: M[] = [];
  #transfer: Transferable[] = [];
  #sentMs = -Infinity;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(port: Poster<readonly M[]>, { clock, pauseMs }: OutboxOptions) {
    this.#port = port;
    this.#clock = clock;
    this.#pauseMs = pauseMs;
  }

  postMessage(message: M, transfer?: Transferable[]): void {
    if (this.#isClosed) return;
    if (this.#messages.length === 0) this.#schedule();
    this.#messages.push(message);
    if (transfer) this.#transfer.push(...transfer);
  }

  flush(): void {
    this.#timer?.cancel();
    this.#send();
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#messages = [];
    this.#transfer = [];
  }

  #schedule(): void {
    const waitMs = this.#sentMs + this.#pauseMs - this.#clock.monotonicMs();
    if (waitMs > 0) this.#timer = this.#clock.setTimer(waitMs, () => this.#send());
    else void Promise.resolve().then(() => this.#send());
  }

  #send(): void {
    if (this.#messages.length === 0) return;
    const [messages, transfer] = [this.#messages, this.#transfer];
    this.#messages = [];
    this.#transfer = [];
    this.#sentMs = this.#clock.monotonicMs();
    this.#port.postMessage(messages, transfer);
  }
}
