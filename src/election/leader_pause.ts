import { type Clock, sleep } from "../base/mod.ts";
import type { Fence } from "./fence.ts";

/** How often it checks whether the fence has closed. */
const LOOK_MS = 500;

/** Options of {@link LeaderPause}. */
export interface LeaderPauseOptions {
  readonly clock: Clock;
  readonly fence: Fence;
  readonly retryPeriodMs: number;
}

/**
 * The pauses between a leader's renewals.
 *
 * Contract:
 * 1. A pause is the retry period. It ends early when the fence is seen closed, and at once by `end`.
 * 2. It tells when the next renewal was due, which is long ago if the process did not run meanwhile.
 * 3. It ends at once if the signal has aborted, or aborts meanwhile.
 */
export class LeaderPause {
  readonly #options: LeaderPauseOptions;
  #end: () => void = () => {};

  constructor(options: LeaderPauseOptions) {
    this.#options = options;
  }

  /** Ends the current pause, if there is one. */
  end(): void {
    this.#end();
  }

  /** One pause. @returns When the next renewal was due; `undefined` if `signal` has ended it. */
  async wait(signal: AbortSignal): Promise<number | undefined> {
    const { clock, fence, retryPeriodMs } = this.#options;
    if (signal.aborted) return undefined;
    const early = new AbortController();
    const end = this.#end = () => early.abort();
    signal.addEventListener("abort", end, { once: true });
    const dueMs = clock.monotonicMs() + retryPeriodMs;
    for (let leftMs = retryPeriodMs; leftMs > 0 && clock.monotonicMs() < dueMs; leftMs -= LOOK_MS) {
      if (!fence.isOpen || !await sleep(clock, Math.min(leftMs, LOOK_MS), early.signal)) break;
    }
    signal.removeEventListener("abort", end);
    return signal.aborted ? undefined : Math.min(dueMs, clock.monotonicMs());
  }
}
