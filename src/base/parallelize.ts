/**
 * Runs `fn(0)` to `fn(pieces - 1)`, at most `workers` at a time, and resolves when all have ended. Once `signal`
 * aborts, or a piece has failed, no further piece is started. Upstream: `k8s.io/client-go/util/workqueue`
 * (ParallelizeUntil).
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
  const errors: unknown[] = [];
  const worker = async () => {
    while (next < pieces && errors.length === 0 && !signal?.aborted) {
      try {
        await fn(next++);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, pieces) }, worker));
  if (errors.length > 0) throw errors[0];
}
