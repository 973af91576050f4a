import { retryErrorOf } from "../../cloud/mod.ts";
import { ItemExponentialLimiter } from "../../workqueue/mod.ts";

/** For failures that do not say when to retry. */
const BASE_MS = 5_000;
const MAX_MS = 300_000;
/** Limits on the delay that a cloud may request. */
const LEAST_WISH_MS = 100;
const LONGEST_WISH_MS = 24 * 3_600_000;

/**
 * The delay of failed keys: 5 s, doubling up to 300 s. A delay may be set explicitly, which does not count as a
 * failure.
 * Upstream: minRetryDelay and maxRetryDelay of the controller.
 */
export class RetryLimiter extends ItemExponentialLimiter {
  readonly #settled = new Map<string, number>();

  constructor() {
    super({ baseMs: BASE_MS, maxMs: MAX_MS });
  }

  /** The next wait of `key`, in milliseconds. */
  settle(key: string, ms: number): void {
    this.#settled.set(key, ms);
  }

  override when(key: string): number {
    const ms = this.#settled.get(key);
    if (ms === undefined) return super.when(key);
    this.#settled.delete(key);
    return ms;
  }
}

/** The retry delay that the cloud requests, in milliseconds and within limits; `undefined` if it does not. */
export function wishedWaitMs(error: unknown): number | undefined {
  const afterMs = retryErrorOf(error)?.afterMs;
  if (afterMs === undefined || !Number.isFinite(afterMs)) return undefined;
  return Math.min(Math.max(afterMs, LEAST_WISH_MS), LONGEST_WISH_MS);
}
