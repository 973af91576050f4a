/**
 * Runs `fn(0)` to `fn(pieces - 1)`, at most `workers` at a time, and resolves when all have ended. Once `signal` aborts no
 * further piece is started. Upstream: `k8s.io/client-go/util/workqueue` (ParallelizeUntil).
 *
 * @throws What `fn` throws first; pieces already running are waited for.
 *
 * @example
 * ```ts
 * import { parallelize } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const seen: number[] = [];
 * await parallelize(2, 5, (i) => Promise.resolve(void seen.push(i)));
 * assertEquals(seen.sort(), [0, 1, 2, 3, 4]);
 * ```
 */
export async function parallelize(
  workers: number,
  pieces: number,
  fn: (piece: number) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < pieces && !signal?.aborted) await fn(next++);
  };
  const results = await Promise.allSettled(Array.from({ length: Math.min(workers, pieces) }, worker));
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}
