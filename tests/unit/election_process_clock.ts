import type { Clock, FakeClock, Timer } from "../../src/base/mod.ts";

/**
 * The clock of one process among several: its own start, its own wall clock, and it can be frozen, as by SIGSTOP: its time
 * goes on, but none of its timers fires before it wakes.
 */
export class ProcessClock implements Clock {
  readonly #base: FakeClock;
  readonly #startMs: number;
  /** How far the wall clock is off; may jump. */
  wallSkewMs = 0;
  #frozenUntilMs = 0;

  constructor(base: FakeClock, { startMs = 0 }: { startMs?: number } = {}) {
    this.#base = base;
    this.#startMs = startMs;
  }

  monotonicMs(): number {
    return this.#base.monotonicMs() + this.#startMs;
  }

  wallMs(): number {
    return this.#base.wallMs() + this.wallSkewMs;
  }

  setTimer(delayMs: number, fn: () => void): Timer {
    let timer: Timer;
    const fire = () => {
      const leftMs = this.#frozenUntilMs - this.#base.monotonicMs();
      if (leftMs > 0) timer = this.#base.setTimer(leftMs, fire);
      else fn();
    };
    timer = this.#base.setTimer(delayMs, fire);
    return { cancel: () => timer.cancel() };
  }

  nextTurn(): Promise<void> {
    return this.#base.nextTurn();
  }

  freeze(ms: number): void {
    this.#frozenUntilMs = Math.max(this.#frozenUntilMs, this.#base.monotonicMs() + ms);
  }

  /** Resolves when the process is not frozen: what comes from outside reaches it then. */
  async awake(): Promise<void> {
    for (let leftMs = 1; leftMs > 0;) {
      leftMs = this.#frozenUntilMs - this.#base.monotonicMs();
      if (leftMs > 0) await new Promise<void>((resolve) => this.#base.setTimer(leftMs, resolve));
    }
  }
}
