import type { Clock } from "./clock.ts";
import { nextInLine, TURN_BUDGET_MS } from "./turn_line.ts";

/** A look at the clock costs more than a small step: so many steps are taken between two looks, once they have proved small. */
const MOST_STEPS_A_LOOK = 16;
/** Steps that together took less than this are small, in milliseconds. */
const SMALL_STEPS_MS = 0.25;

/**
 * How long several loops together may hold the event loop. After an idle time the budget counts as spent at the first look,
 * since nobody tells when the present turn began; the price is one turn too many, never a turn too long.
 */
export class TurnBudget {
  readonly #clock: Clock;
  readonly #limitMs: number;
  #startedMs: number;
  #turn: Promise<void> | undefined;

  constructor(clock: Clock, limitMs = TURN_BUDGET_MS) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#startedMs = clock.monotonicMs();
  }

  get spent(): boolean {
    return this.#clock.monotonicMs() - this.#startedMs > this.#limitMs;
  }

  /** Lets the event loop have a turn, the same one for all who wait for this budget, and begins it anew: see {@link nextInLine}. */
  nextTurn(): Promise<void> {
    this.#turn ??= nextInLine(this.#clock).then(() => {
      this.#turn = undefined;
      this.#startedMs = this.#clock.monotonicMs();
    });
    return this.#turn;
  }

  /**
   * Takes all steps of some work that only its size makes long, with turns in between: others may look at what it has done so
   * far, so each step leaves that as they may see it.
   *
   * @returns What the work comes to.
   *
   * @example
   * ```ts
   * import { FakeClock, TurnBudget } from "./mod.ts";
   * import { assertEquals } from "@std/assert";
   *
   * function* sum(numbers: Iterable<number>): Generator<void, number> {
   *   let total = 0;
   *   for (const number of numbers) {
   *     total += number;
   *     yield;
   *   }
   *   return total;
   * }
   * assertEquals(await new TurnBudget(new FakeClock()).run(sum([1, 2, 3])), 6);
   * ```
   */
  async run<R>(steps: Generator<void, R>): Promise<R> {
    let [toLook, stepsALook] = [1, 1];
    let lookedMs = this.#startedMs;
    for (let step = steps.next();; step = steps.next()) {
      if (step.done) return step.value;
      if (--toLook > 0) continue;
      const nowMs = this.#clock.monotonicMs();
      const areSmall = nowMs - lookedMs < SMALL_STEPS_MS;
      toLook = stepsALook = areSmall ? Math.min(stepsALook * 2, MOST_STEPS_A_LOOK) : 1;
      lookedMs = nowMs;
      if (nowMs - this.#startedMs <= this.#limitMs) continue;
      await this.nextTurn();
      lookedMs = this.#startedMs;
    }
  }
}
