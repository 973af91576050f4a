import type { Clock } from "../base/mod.ts";
import type { RateLimiter } from "./limiters.ts";

/** How a bucket of tokens fills. */
export interface BucketOptions {
  readonly clock: Clock;
  readonly perSecond: number;
  /** How many tokens it holds; it starts full. */
  readonly burst: number;
}

/**
 * One bucket of tokens for all keys: each `when` reserves a token and says how long until it exists. Debt accumulates, so
 * that the delays come `1 / perSecond` apart once the bucket is empty. Upstream: BucketRateLimiter.
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
