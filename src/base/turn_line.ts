import type { Clock } from "./clock.ts";
import { RingBuffer } from "./ring_buffer.ts";

/** How long work runs before other work gets its turn, in milliseconds. */
export const TURN_BUDGET_MS = 8;
/** How many microtasks pass before a caller behind several `await`s continues. */
const TICKS = 6;

const lines = new WeakMap<Clock, TurnLine>();

/**
 * Resolves after a turn of the event loop, when it is this caller's turn. All busy loops of a thread share one line: if
 * each had a slice in every turn, a turn would take as many slices as there are busy loops.
 *
 * Contract:
 * 1. Callers go on in the order in which they came.
 * 2. Those who go on in one turn of the event loop stop following each other after {@link TURN_BUDGET_MS}; the rest is
 *    for the next.
 */
export function nextInLine(clock: Clock): Promise<void> {
  let line = lines.get(clock);
  if (!line) lines.set(clock, line = new TurnLine(clock));
  return line.wait();
}

class TurnLine {
  readonly #clock: Clock;
  readonly #waiting = new RingBuffer<() => void>();
  #serving: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  wait(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    this.#serving ??= this.#serve();
    return promise;
  }

  async #serve(): Promise<void> {
    const clock = this.#clock;
    while (this.#waiting.length > 0) {
      await clock.nextTurn();
      const begunMs = clock.monotonicMs();
      do {
        this.#waiting.shift()?.();
        for (let i = 0; i < TICKS; i++) await undefined;
      } while (this.#waiting.length > 0 && clock.monotonicMs() - begunMs <= TURN_BUDGET_MS);
    }
    this.#serving = undefined;
  }
}
