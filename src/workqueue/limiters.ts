/**
 * Decides how long a key must wait before it is tried again.
 *
 * @typeParam K The queue's keys.
 */
export interface RateLimiter<K = string> {
  /** How long `key` must wait now, in milliseconds. Counts as a failure of the key. */
  when(key: K): number;
  /** The key succeeded, or is given up: its next failure is a first one. */
  forget(key: K): void;
  /** Failures since the last `forget`. */
  numRequeues(key: K): number;
}

/** Counts failures per key; the base of the limiters that go by them. */
class Failures<K> {
  readonly #counts = new Map<K, number>();

  /** Adds one and returns how many there were before. */
  count(key: K): number {
    const before = this.of(key);
    this.#counts.set(key, before + 1);
    return before;
  }

  of(key: K): number {
    return this.#counts.get(key) ?? 0;
  }

  forget(key: K): void {
    this.#counts.delete(key);
  }
}

/**
 * Doubles a key's delay with each failure, from `baseMs` up to `maxMs`.
 * Upstream: `k8s.io/client-go/util/workqueue/default_rate_limiters.go` (ItemExponentialFailureRateLimiter).
 *
 * @example
 * ```ts
 * import { ItemExponentialLimiter } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const limiter = new ItemExponentialLimiter<string>({ baseMs: 5, maxMs: 1_000_000 });
 * assertEquals([limiter.when("a"), limiter.when("a"), limiter.when("b")], [5, 10, 5]);
 * ```
 */
export class ItemExponentialLimiter<K = string> implements RateLimiter<K> {
  readonly #failures = new Failures<K>();
  readonly #baseMs: number;
  readonly #maxMs: number;

  constructor({ baseMs, maxMs }: { readonly baseMs: number; readonly maxMs: number }) {
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
  }

  when(key: K): number {
    return Math.min(this.#baseMs * 2 ** this.#failures.count(key), this.#maxMs);
  }

  forget(key: K): void {
    this.#failures.forget(key);
  }

  numRequeues(key: K): number {
    return this.#failures.of(key);
  }
}
