import { type Clock, LruMap } from "../../base/mod.ts";

/** Enough for the clients of an endpoint, and no room for who sends ever new tokens. */
const CAPACITY = 1024;

/**
 * Answers of the API server that are good for a while.
 *
 * Contract:
 * 1. Of two who ask for the same at the same time, one asks the API server.
 * 2. An answer is kept for as long as `ttlMs` says of it; a failure is not kept.
 */
export class ExpiringCache<T> {
  readonly #clock: Clock;
  readonly #ttlMs: (value: T) => number;
  readonly #kept = new LruMap<string, { readonly value: T; readonly untilMs: number }>(CAPACITY);
  readonly #asking = new Map<string, Promise<T>>();

  constructor(clock: Clock, ttlMs: (value: T) => number) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
  }

  get(key: string, ask: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(key);
    if (kept && this.#clock.monotonicMs() < kept.untilMs) return Promise.resolve(kept.value);
    let asking = this.#asking.get(key);
    if (!asking) {
      asking = this.#ask(key, ask).finally(() => this.#asking.delete(key));
      this.#asking.set(key, asking);
    }
    return asking;
  }

  async #ask(key: string, ask: () => Promise<T>): Promise<T> {
    const value = await ask();
    this.#kept.set(key, { value, untilMs: this.#clock.monotonicMs() + this.#ttlMs(value) });
    return value;
  }
}
