import { sleep, type World } from "../base/mod.ts";
import { JITTER_FACTOR } from "./election_options.ts";

/** Options of {@link CandidatePause}. */
export interface CandidatePauseOptions {
  readonly world: Pick<World, "clock" | "random">;
  readonly retryPeriodMs: number;
  /** Resolves when the lease is next given up. */
  readonly whenReleased?: () => Promise<void>;
}

/**
 * The pauses between a candidate's tries.
 *
 * Contract:
 * 1. A pause is the retry period and up to 1.2 times as much again, at random, so that candidates do not try together.
 * 2. A release ends it early; one that was announced since the pause before it, during a try, lets it end at once.
 * 3. Only one promise of `whenReleased` is awaited at a time, however many pauses pass: a wait for a promise that never
 *    settles is never freed.
 */
export class CandidatePause {
  readonly #options: CandidatePauseOptions;
  #awaitsRelease = false;
  #wasReleased = false;
  #end: () => void = () => {};

  constructor(options: CandidatePauseOptions) {
    this.#options = options;
  }

  /** One pause; `false` if `signal` has ended it. */
  async wait(signal: AbortSignal): Promise<boolean> {
    const { world: { clock, random }, retryPeriodMs } = this.#options;
    if (signal.aborted) return false;
    void this.#awaitRelease();
    if (!this.#wasReleased) {
      const early = new AbortController();
      const end = this.#end = () => early.abort();
      signal.addEventListener("abort", end, { once: true });
      await sleep(clock, retryPeriodMs * (1 + random.float() * JITTER_FACTOR), early.signal);
      signal.removeEventListener("abort", end);
    }
    this.#wasReleased = false;
    return !signal.aborted;
  }

  async #awaitRelease(): Promise<void> {
    if (this.#awaitsRelease || !this.#options.whenReleased) return;
    this.#awaitsRelease = true;
    await this.#options.whenReleased();
    this.#awaitsRelease = false;
    this.#wasReleased = true;
    this.#end();
  }
}
