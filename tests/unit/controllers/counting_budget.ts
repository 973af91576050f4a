import { FakeClock, TurnBudget } from "../../../src/base/mod.ts";

/** Counts the turns that work gives to others; each look at the clock finds a millisecond gone. */
export class CountingBudget extends TurnBudget {
  turns = 0;

  constructor() {
    super(hastyClock());
  }

  override async nextTurn(): Promise<void> {
    this.turns++;
    await super.nextTurn();
  }
}

/** A clock on which each look finds a millisecond gone. */
export function hastyClock(): FakeClock {
  let nowMs = 0;
  return Object.assign(Object.create(new FakeClock()) as FakeClock, { monotonicMs: () => nowMs++ });
}
