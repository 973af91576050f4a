import type { Clock, FakeClock, Timer } from "../../../src/base/mod.ts";

/** What sums of times may be off by: too little for the base clock to advance. */
const ROUNDING_MS = 1e-6;

/**
 * The clock of one process among several: its own start, its own wall clock. It can be frozen, as by SIGSTOP: its time goes on,
 * but none of its timers fires before it wakes. And it can be suspended, as a machine is: only its wall clock goes on.
 */
export class ProcessClock implements Clock {
  readonly #base: FakeClock;
  readonly #startMs: number;
  /** How far the wall clock is off; may jump. */
  wallSkewMs = 0;
  #frozenUntilMs = 0;
  #suspendedUntilMs = 0;
  /** How long it was suspended in all, once this time is over. */
  #suspendedMs = 0;

  constructor(base: FakeClock, { startMs = 0 }: { startMs?: number } = {}) {
    this.#base = base;
    this.#startMs = startMs;
  }

  monotonicMs(): number {
    const nowMs = this.#base.monotonicMs();
    return this.#startMs + Math.max(nowMs, this.#suspendedUntilMs) - this.#suspendedMs;
  }

  wallMs(): number {
    return this.#base.wallMs() + this.wallSkewMs;
  }

  setTimer(delayMs: number, fn: () => void): Timer {
    let timer: Timer;
    const dueMs = this.monotonicMs() + delayMs;
    const fire = () => {
      const leftMs = Math.max(this.#sleepsMs, dueMs - this.monotonicMs());
      if (leftMs > ROUNDING_MS) timer = this.#base.setTimer(leftMs, fire);
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

  suspend(ms: number): void {
    const nowMs = this.#base.monotonicMs();
    const untilMs = Math.max(this.#suspendedUntilMs, nowMs + ms);
    this.#suspendedMs += untilMs - Math.max(this.#suspendedUntilMs, nowMs);
    this.#suspendedUntilMs = untilMs;
  }

  /** Resolves when the process is neither frozen nor suspended: what comes from outside reaches it then. */
  async awake(): Promise<void> {
    while (this.#sleepsMs > ROUNDING_MS) {
      await new Promise<void>((resolve) => this.#base.setTimer(this.#sleepsMs, resolve));
    }
  }

  get #sleepsMs(): number {
    return Math.max(
      0,
      this.#frozenUntilMs - this.#base.monotonicMs(),
      this.#suspendedUntilMs - this.#base.monotonicMs(),
    );
  }
}
