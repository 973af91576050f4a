import type { Clock } from "./clock.ts";
import { nextInLine, TURN_BUDGET_MS } from "./turn_line.ts";

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
    for (let step = steps.next();; step = steps.next()) {
      if (step.done) return step.value;
      if (this.spent) await this.nextTurn();
    }
  }
}
