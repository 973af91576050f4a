import type { Clock } from "../base/mod.ts";

/**
 * Tells whether our lease can still be relied on, by our own clock alone.
 *
 * Contract:
 * 1. It is open for less than `durationMs` after the START of the last request that renewed the lease, and not before one.
 * 2. It reads the clock when asked; no timer has to run for it to close, so it also holds after the process was frozen.
 *
 * Why that is safe: another candidate waits `durationMs` from when it saw our renewal, which is after we sent it; so as long
 * as both clocks run at the same rate, our fence has closed when the other may take over.
 */
export class Fence {
  readonly #clock: Clock;
  readonly #durationMs: number;
  #renewedMs = -Infinity;

  constructor(clock: Clock, durationMs: number) {
    this.#clock = clock;
    this.#durationMs = durationMs;
  }

  /** A request that started at `startedMs` (monotonic) renewed the lease. */
  renewed(startedMs: number): void {
    this.#renewedMs = startedMs;
  }

  close(): void {
    this.#renewedMs = -Infinity;
  }

  get isOpen(): boolean {
    return this.remainingMs > 0;
  }

  /** When it closes without another renewal, by the monotonic clock. */
  get closesAtMs(): number {
    return this.#renewedMs + this.#durationMs;
  }

  /** How long it stays open without another renewal. */
  get remainingMs(): number {
    return Math.max(0, this.closesAtMs - this.#clock.monotonicMs());
  }
}
