import type { Clock } from "./clock.ts";
import { nextInLine, TURN_BUDGET_MS } from "./turn_line.ts";

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
    return this.#clock.monotonicMs() - this.#startedMs > this.#limitMs;
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
   * Runs all steps of long work, with turns in between. Others may see intermediate states, so each step must leave a
   * consistent one.
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
    for (let step = steps.next();; step = steps.next()) {
      if (step.done) return step.value;
      if (this.spent) await this.nextTurn();
    }
  }
}
