import type { Clock, Timer } from "../base/mod.ts";

export interface ResyncTimerOptions {
  readonly clock: Clock;
  /** 0 is never. */
  readonly periodMs: number;
  /** The timer is set anew when this has ended, in whatever way it did. */
  readonly onDue: () => void | Promise<void>;
}

/** Calls `onDue` again and again from `start` to `stop`. */
export class ResyncTimer {
  readonly #options: ResyncTimerOptions;
  #timer: Timer | undefined;
  /** Counts starts and stops, so that a call that ends after a stop does not set the timer again. */
  #round = 0;

  constructor(options: ResyncTimerOptions) {
    this.#options = options;
  }

  /** Does nothing if the timer is running. */
  start(): void {
    if (this.#timer || this.#options.periodMs <= 0) return;
    this.#set(++this.#round);
  }

  stop(): void {
    this.#round++;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #set(round: number): void {
    const { clock, periodMs } = this.#options;
    this.#timer = clock.setTimer(periodMs, async () => {
      try {
        await this.#options.onDue();
      } finally {
        if (round === this.#round) this.#set(round);
      }
    });
  }
}
