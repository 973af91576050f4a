import type { Clock } from "../base/mod.ts";

const CAPACITY = 3;
const REFILL_MS = 10_000;

/**
 * Says whether a request may be repeated without waiting. Where upstream repeats at once for as long as a server ends each
 * stream right away, this allows a burst, and then one repetition every ten seconds; the others wait for a backoff first.
 */
export class RetryTokens {
  readonly #clock: Clock;
  #tokens = CAPACITY;
  #countedMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#countedMs = clock.monotonicMs();
  }

  /** Takes a token if there is one. */
  take(): boolean {
    const nowMs = this.#clock.monotonicMs();
    this.#tokens = Math.min(CAPACITY, this.#tokens + (nowMs - this.#countedMs) / REFILL_MS);
    this.#countedMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
