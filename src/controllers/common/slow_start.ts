/** How a slow start ended. */
export interface SlowStartResult {
  /** Calls that succeeded. */
  readonly successes: number;
  /** The first error of the batch that failed, if one did. */
  readonly error: unknown;
}

/** How many calls the first batch has. */
const INITIAL_BATCH_SIZE = 1;

/**
 * Calls `fn` up to `count` times, in batches of 1, 2, 4, ... calls at the same time. A batch is waited for as a whole;
 * once a call of it failed, no further batch is started. So a quota that refuses the first pod is asked once, not 500
 * times.
 * Upstream: `pkg/controller/replicaset/replica_set.go` (slowStartBatch).
 *
 * @returns How many calls succeeded, and the first error; never rejects.
 *
 * @example
 * ```ts
 * import { slowStart } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * let calls = 0;
 * const { successes } = await slowStart(10, () => ++calls > 5 ? Promise.reject(new Error("quota")) : Promise.resolve());
 * assertEquals([calls, successes], [7, 5]);
 * ```
 */
export async function slowStart(count: number, fn: () => Promise<unknown>): Promise<SlowStartResult> {
  let successes = 0;
  let remaining = count;
  for (let size = Math.min(remaining, INITIAL_BATCH_SIZE); size > 0; size = Math.min(2 * size, remaining)) {
    const results = await Promise.allSettled(Array.from({ length: size }, async () => await fn()));
    const failed = results.filter((result) => result.status === "rejected");
    successes += size - failed.length;
    if (failed.length > 0) return { successes, error: failed[0].reason };
    remaining -= size;
  }
  return { successes, error: undefined };
}
