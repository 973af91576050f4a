import type { TurnBudget } from "../../base/mod.ts";

/** How many calls run at once: each holds a request with its deadline, and tenants decide how many pods there are. */
const BATCH = 500;

/**
 * Calls `fn(0)` to `fn(count - 1)`, up to 500 at the same time, and waits until all have ended. Each call may compute
 * for milliseconds before it first waits, for example on a large template, and there may be thousands: the event loop
 * gets turns between calls.
 *
 * @returns Each call's result, in order; never rejects.
 *
 * @example
 * ```ts
 * import { startAll } from "./mod.ts";
 * import { FakeClock, TurnBudget } from "../../base/mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const results = await startAll(2, (i) => Promise.resolve(i), new TurnBudget(new FakeClock()));
 * assertEquals(results, [{ status: "fulfilled", value: 0 }, { status: "fulfilled", value: 1 }]);
 * ```
 */
export async function startAll<R>(
  count: number,
  fn: (index: number) => Promise<R>,
  budget: TurnBudget,
): Promise<PromiseSettledResult<Awaited<R>>[]> {
  const results: PromiseSettledResult<Awaited<R>>[] = [];
  while (results.length < count) {
    const calls: Promise<R>[] = [];
    const end = Math.min(count, results.length + BATCH);
    for (let i = results.length; i < end; i++) {
      if (budget.spent) await budget.nextTurn();
      const call = (async () => await fn(i))();
      call.catch(() => {}); // it may fail before all have started, and only then is its result read
      calls.push(call);
    }
    results.push(...await Promise.allSettled(calls));
  }
  return results;
}
