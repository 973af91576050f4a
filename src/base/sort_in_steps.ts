/** How many items are sorted in one step. */
const RUN_LENGTH = 1024;

/**
 * Sorts a list that may be long, in steps of about a millisecond, for {@link TurnBudget.run}. Equal items keep their
 * order.
 *
 * @example
 * ```ts
 * import { FakeClock, sortInSteps, TurnBudget } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const sorting = sortInSteps([3, 1, 2], (a, b) => a - b);
 * assertEquals(await new TurnBudget(new FakeClock()).run(sorting), [1, 2, 3]);
 * ```
 */
export function* sortInSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Generator<void, T[]> {
  let runs: T[][] = [];
  for (let i = 0; i < items.length; i += RUN_LENGTH) {
    runs.push(items.slice(i, i + RUN_LENGTH).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* merge(runs[i], runs[i + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): Generator<void, T[]> {
  const merged: T[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const takesA = j === b.length || (i < a.length && compare(a[i], b[j]) <= 0);
    merged.push(takesA ? a[i++] : b[j++]);
    if (merged.length % RUN_LENGTH === 0) yield;
  }
  return merged;
}
