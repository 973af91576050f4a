import { type Clock, FakeClock, type Timer } from "../../../src/base/mod.ts";

/** A clock on which every look at it takes time: whoever watches his time gives the event loop a turn at each look. */
export class BusyClock implements Clock {
  readonly #clock = new FakeClock();
  readonly #lookMs: number;
  readonly #onTurn: () => void;
  #nowMs = 0;
  /** Turns that were asked for. */
  turns = 0;

  /** @param options.onTurn What others do in each turn. */
  constructor({ lookMs = 1000, onTurn = () => {} }: { lookMs?: number; onTurn?: () => void } = {}) {
    this.#lookMs = lookMs;
    this.#onTurn = onTurn;
  }

  monotonicMs(): number {
    return this.#nowMs += this.#lookMs;
  }

  wallMs(): number {
    return this.#clock.wallMs();
  }

  setTimer(delayMs: number, fn: () => void): Timer {
    return this.#clock.setTimer(delayMs, fn);
  }

  async nextTurn(): Promise<void> {
    this.turns++;
    await this.#clock.nextTurn();
    this.#onTurn();
  }
}
