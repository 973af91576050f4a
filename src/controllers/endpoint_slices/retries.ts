import type { Clock, Logger } from "../../base/mod.ts";
import {
  BucketLimiter,
  ItemExponentialLimiter,
  MaxOfLimiter,
  type RateLimiter,
  type WorkQueue,
} from "../../workqueue/mod.ts";

/** How many failures a key may have before it waits for its next change. */
const MAX_RETRIES = 15;

/**
 * Delays retries by a second, doubling, because one change may need many writes.
 * @param maxMs The longest delay.
 */
export function sliceLimiter(clock: Clock, maxMs: number): RateLimiter {
  return new MaxOfLimiter(
    new ItemExponentialLimiter({ baseMs: 1000, maxMs }),
    new BucketLimiter({ clock, perSecond: 10, burst: 100 }),
  );
}

/** Gives a key up after fifteen failures. */
export function decideByRetries(
  queue: Pick<WorkQueue, "numRequeues">,
  log: Logger,
): (key: string, error: unknown) => "retry" | "forget" {
  return (key, error) => {
    if (queue.numRequeues(key) < MAX_RETRIES) {
      log.error("Sync failed, will retry", { err: error, key });
      return "retry";
    }
    log.error("Sync failed too often, waiting for the next change", { err: error, key });
    return "forget";
  };
}
