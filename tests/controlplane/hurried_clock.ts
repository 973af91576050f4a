import { type Clock, SystemClock, type Timer } from "../../src/base/mod.ts";

/** A clock on which time passes some times as fast as it does; the date is the real one, by which kube-apiserver goes. */
export class HurriedClock implements Clock {
  readonly #clock = new SystemClock();
  readonly #times: number;

  constructor(times: number) {
    this.#times = times;
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs() * this.#times;
  }

  wallMs(): number {
    return this.#clock.wallMs();
  }

  setTimer(delayMs: number, fn: () => void): Timer {
    return this.#clock.setTimer(delayMs / this.#times, fn);
  }

  nextTurn(): Promise<void> {
    return this.#clock.nextTurn();
  }
}
