import { type Clock, TurnBudget } from "../../base/mod.ts";
import { startAll } from "../running/mod.ts";

/** How a slow start ended. */
export interface SlowStartResult {
  /** Calls that succeeded. */
  readonly successes: number;
  /** The first error of the batch that failed, if one did. */
  readonly error: unknown;
  /** All errors of that batch. */
  readonly errors: readonly unknown[];
}

/** The size of the first batch. */
const INITIAL_BATCH_SIZE = 1;

/**
 * Calls `fn` up to `count` times, in batches of 1, 2, 4, ... concurrent calls. If a call of a batch fails, no further
 * batch is started, so a quota that refuses the first pod is asked once, not 500 times. The event loop gets turns
 * during a batch: see {@link startAll}.
 * Upstream: `pkg/controller/replicaset/replica_set.go` (slowStartBatch).
 *
 * @param fn Takes the call's number, starting at 0.
 * @param options.largestBatch The most concurrent calls.
 * @returns How many calls succeeded, and what failed; never rejects.
 *
 * @example
 * ```ts
 * import { slowStart } from "./mod.ts";
 * import { FakeClock } from "kubeloop/world";
 * import { assertEquals } from "@std/assert";
 *
 * let calls = 0;
 * const create = () => ++calls > 5 ? Promise.reject(new Error("quota")) : Promise.resolve();
 * const { successes } = await slowStart(10, create, { clock: new FakeClock() });
 * assertEquals([calls, successes], [7, 5]);
 * ```
 */
export async function slowStart(
  count: number,
  fn: (index: number) => Promise<unknown>,
  { clock, largestBatch = Infinity }: { readonly clock: Clock; readonly largestBatch?: number },
): Promise<SlowStartResult> {
  const budget = new TurnBudget(clock);
  let successes = 0;
  let started = 0;
  const nextSize = (size: number) => Math.min(size, count - started, largestBatch);
  for (let size = nextSize(INITIAL_BATCH_SIZE); size > 0; size = nextSize(2 * size)) {
    const first = started;
    started += size;
    const results = await startAll(size, (i) => fn(first + i), budget);
    const errors = results.flatMap((result) => result.status === "rejected" ? [result.reason] : []);
    successes += size - errors.length;
    if (errors.length > 0) return { successes, error: errors[0], errors };
  }
  return { successes, error: undefined, errors: [] };
}
