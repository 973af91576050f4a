import type { Clock } from "../base/mod.ts";

/** A time by both of this thread's clocks. */
export interface BothClocks {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** A renewal request; see {@link Fence.begin}. */
export interface Renewal extends BothClocks {
  /** How often the fence had been closed when the request was sent. */
  readonly closings: number;
}

/**
 * Determines by our own clocks alone whether our lease is still safe.
 *
 * Contract:
 * 1. It is open for less than `durationMs` after the START of the last request that renewed the lease, and not before
 *    one.
 * 2. It reads the clocks when asked; no timer has to run for it to close, so it also holds after the process was
 *    frozen.
 * 3. Of the monotonic and the wall clock it believes the one by which more time has passed: while a machine is
 *    suspended only the wall clock goes on. A wall clock that is set forward closes it early, one that is set back
 *    opens nothing.
 * 4. Once closed it stays closed until a request that was sent afterwards renews the lease.
 *
 * Why that is safe: another candidate waits `durationMs` from when it saw our renewal, which is after we sent it; so as
 * long as both clocks run at the same rate, our fence has closed when the other may take over.
 */
export class Fence {
  readonly #clock: Clock;
  readonly #durationMs: number;
  #closesAt: BothClocks | undefined;
  #closings = 0;

  constructor(clock: Clock, durationMs: number) {
    this.#clock = clock;
    this.#durationMs = durationMs;
  }

  /** Call it immediately before sending a renewal request. */
  begin(): Renewal {
    return { ...this.#now(), closings: this.#closings };
  }

  /** Records that the request renewed the lease. */
  renewed({ monotonicMs, wallMs, closings }: Renewal): void {
    if (closings !== this.#closings) return;
    this.#closesAt = { monotonicMs: monotonicMs + this.#durationMs, wallMs: wallMs + this.#durationMs };
  }

  close(): void {
    this.#closings++;
    this.#closesAt = undefined;
  }

  get isOpen(): boolean {
    return this.remainingMs > 0;
  }

  /** When it closes without another renewal: as soon as either clock shows that. */
  get closesAt(): BothClocks | undefined {
    return this.#closesAt;
  }

  /** How long it stays open without another renewal. */
  get remainingMs(): number {
    if (!this.#closesAt) return 0;
    const { monotonicMs, wallMs } = this.#now();
    const leftMs = Math.min(this.#closesAt.monotonicMs - monotonicMs, this.#closesAt.wallMs - wallMs);
    // Permanently: the wall clock may be set back.
    if (leftMs <= 0) this.#closesAt = undefined;
    return Math.max(0, leftMs);
  }

  #now(): BothClocks {
    return { monotonicMs: this.#clock.monotonicMs(), wallMs: this.#clock.wallMs() };
  }
}
