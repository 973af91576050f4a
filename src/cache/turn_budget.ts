import type { Clock } from "../base/mod.ts";

/** How long loops that share a budget run before other work gets its turn, in milliseconds. */
export const TURN_BUDGET_MS = 8;

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

  /** Lets the event loop have a turn, the same one for all who wait, and begins a new budget. */
  nextTurn(): Promise<void> {
    this.#turn ??= this.#clock.nextTurn().then(() => {
      this.#turn = undefined;
      this.#startedMs = this.#clock.monotonicMs();
    });
    return this.#turn;
  }
}
