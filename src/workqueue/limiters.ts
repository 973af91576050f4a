import type { Clock } from "../base/mod.ts";

/**
 * Decides how long a key must wait before a retry.
 *
 * @typeParam K The queue's keys.
 */
export interface RateLimiter<K = string> {
  /** How long `key` must wait now, in milliseconds. Counts as a failure of the key. */
  when(key: K): number;
  /** The key succeeded or is given up: its next failure counts as the first. */
  forget(key: K): void;
  /** Failures since the last `forget`. */
  numRequeues(key: K): number;
}

/** Counts failures per key; the base of limiters that depend on them. */
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
 * import { ItemExponentialLimiter } from "kubeloop/workqueue";
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

/** How a token bucket fills. */
export interface BucketOptions {
  readonly clock: Clock;
  readonly perSecond: number;
  /** How many tokens it holds; it starts full. */
  readonly burst: number;
}

/**
 * One token bucket for all keys: each `when` reserves a token and returns the time until it is available. Debt
 * accumulates, so once the bucket is empty, delays are `1 / perSecond` apart. Upstream: BucketRateLimiter.
 */
export class BucketLimiter<K = string> implements RateLimiter<K> {
  readonly #options: BucketOptions;
  #tokens: number;
  #countedMs: number;

  constructor(options: BucketOptions) {
    this.#options = options;
    this.#tokens = options.burst;
    this.#countedMs = options.clock.monotonicMs();
  }

  when(_key: K): number {
    const { clock, perSecond, burst } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#tokens = Math.min(burst, this.#tokens + (nowMs - this.#countedMs) / 1000 * perSecond) - 1;
    this.#countedMs = nowMs;
    return this.#tokens >= 0 ? 0 : -this.#tokens / perSecond * 1000;
  }

  forget(_key: K): void {}

  numRequeues(_key: K): number {
    return 0;
  }
}

/** The longest delay of several limiters, all of which are asked every time. Upstream: MaxOfRateLimiter. */
export class MaxOfLimiter<K = string> implements RateLimiter<K> {
  readonly #limiters: readonly RateLimiter<K>[];

  constructor(...limiters: readonly RateLimiter<K>[]) {
    this.#limiters = limiters;
  }

  when(key: K): number {
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.when(key)));
  }

  forget(key: K): void {
    for (const limiter of this.#limiters) limiter.forget(key);
  }

  numRequeues(key: K): number {
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.numRequeues(key)));
  }
}

/**
 * The default limiter of controllers: per key 5 ms, doubling up to 1000 s; for all keys together ten retries a second
 * after a burst of a hundred, so that many keys that fail at once do not retry at once.
 * Upstream: DefaultTypedControllerRateLimiter.
 */
export function defaultControllerLimiter<K = string>(clock: Clock): RateLimiter<K> {
  return new MaxOfLimiter(
    new ItemExponentialLimiter<K>({ baseMs: 5, maxMs: 1_000_000 }),
    new BucketLimiter<K>({ clock, perSecond: 10, burst: 100 }),
  );
}
