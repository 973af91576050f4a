import { Backoff, sleep, type World } from "../base/mod.ts";
import { isConflict } from "./status_predicates.ts";

/** How often and how far apart conflicts are retried. */
export interface ConflictRetry {
  readonly tries: number;
  readonly initialMs: number;
  readonly factor: number;
  readonly jitter: number;
}

/** For a brief conflict with another client. */
export const DEFAULT_RETRY: ConflictRetry = { tries: 5, initialMs: 10, factor: 1, jitter: 0.1 };

/** For a conflict with several active clients. */
export const DEFAULT_BACKOFF: ConflictRetry = { tries: 4, initialMs: 10, factor: 5, jitter: 0.1 };

/** How often to retry, and on what errors. */
export interface RetryOnConflictOptions {
  /** Default {@link DEFAULT_RETRY}. */
  readonly retry?: ConflictRetry;
  readonly signal?: AbortSignal;
  /** Which errors to retry; by default conflicts. */
  readonly isRetriable?: (error: unknown) => boolean;
}

/**
 * Calls `fn`, which should read, change and write an object, until it no longer fails with a conflict.
 * Upstream: `k8s.io/client-go/util/retry`.
 *
 * @throws The last conflict when all tries are used up, any other error at once, the signal's reason when it aborts.
 *
 * @example
 * ```ts
 * import { retryOnConflict } from "kubeloop/client";
 * import { FakeWorld } from "kubeloop/world";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(await retryOnConflict(new FakeWorld(), () => Promise.resolve("written")), "written");
 * ```
 */
export async function retryOnConflict<T>(
  world: World,
  fn: () => Promise<T>,
  { retry = DEFAULT_RETRY, signal, isRetriable = isConflict }: RetryOnConflictOptions = {},
): Promise<T> {
  const backoff = new Backoff(world, { ...retry, capMs: Infinity });
  for (let left = retry.tries - 1;; left--) {
    try {
      return await fn();
    } catch (error) {
      if (!isRetriable(error) || left <= 0) throw error;
      if (!await sleep(world.clock, backoff.nextMs(), signal)) throw signal?.reason;
    }
  }
}
