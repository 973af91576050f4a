import type { Clock } from "../base/mod.ts";
import { BucketLimiter } from "./bucket_limiter.ts";
import { MaxOfLimiter } from "./combined_limiters.ts";
import { ItemExponentialLimiter, type RateLimiter } from "./limiters.ts";

/**
 * What controllers use unless they say otherwise: per key 5 ms, doubling up to 1000 s, and for all keys together ten
 * retries a second after a burst of a hundred, so that many keys failing at once do not retry at once.
 * Upstream: DefaultTypedControllerRateLimiter.
 */
export function defaultControllerLimiter<K = string>(clock: Clock): RateLimiter<K> {
  return new MaxOfLimiter(
    new ItemExponentialLimiter<K>({ baseMs: 5, maxMs: 1_000_000 }),
    new BucketLimiter<K>({ clock, perSecond: 10, burst: 100 }),
  );
}
