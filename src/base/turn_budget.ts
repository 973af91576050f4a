import type { Clock } from "./clock.ts";
import { nextInLine, TURN_BUDGET_MS } from "./turn_line.ts";

/**
 * A look at the clock costs more than a small step: so many steps are taken between two looks, once they have proved
 * small.
 */
const MOST_STEPS_A_LOOK = 4;
/** Steps that together took less than this are small, in milliseconds. */
const SMALL_STEPS_MS = 0.25;

/**
 * Limits how long several loops together block the event loop. After an idle time the budget counts as spent at the
 * first check, because the start of the current turn is unknown; that costs one turn too many, never a turn too long.
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
    return this.spentAt(this.#clock.monotonicMs());
  }

  /** Whether it is spent at `nowMs`, for who has just looked at the clock. */
  spentAt(nowMs: number): boolean {
    return nowMs - this.#startedMs > this.#limitMs;
  }

  /**
   * Gives the event loop a turn, the same one for all who wait for this budget, then restarts the budget; see {@link
   * nextInLine}.
   */
  nextTurn(): Promise<void> {
    this.#turn ??= nextInLine(this.#clock).then(() => {
      this.#turn = undefined;
      this.#startedMs = this.#clock.monotonicMs();
    });
    return this.#turn;
  }

  /**
   * Runs all steps of long work, with turns in between. It may take three steps more than the budget allows. Others may
   * see intermediate states, so each step must leave a consistent one.
   *
   * @returns The work's result.
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
      if (!this.spentAt(nowMs)) continue;
      await this.nextTurn();
      lookedMs = this.#startedMs;
    }
  }
}

/** Runs all steps of long work in one piece, where nobody waits for a turn. */
export function runAtOnce<R>(steps: Generator<void, R>): R {
  for (let step = steps.next();; step = steps.next()) if (step.done) return step.value;
}
