import { retryErrorOf } from "../../cloud/mod.ts";
import { ItemExponentialLimiter } from "../../workqueue/mod.ts";

/** Of failures that do not say when to try again. */
const BASE_MS = 5_000;
const MAX_MS = 300_000;
/** What a cloud may ask for. */
const LEAST_WISH_MS = 100;
const LONGEST_WISH_MS = 24 * 3_600_000;

/**
 * How long keys wait that failed: 5 s, doubling up to 300 s. A wait may be settled by somebody else; it then counts as no failure.
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

/** When the cloud wants to be asked again, in milliseconds, within reason; `undefined` if it does not say. */
export function wishedWaitMs(error: unknown): number | undefined {
  const afterMs = retryErrorOf(error)?.afterMs;
  if (afterMs === undefined || !Number.isFinite(afterMs)) return undefined;
  return Math.min(Math.max(afterMs, LEAST_WISH_MS), LONGEST_WISH_MS);
}
