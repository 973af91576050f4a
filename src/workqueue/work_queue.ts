import type { World } from "../base/mod.ts";
import type { BaseQueueOptions } from "./base_queue.ts";
import type { Cause } from "./causes.ts";
import { DelayingQueue } from "./delaying_queue.ts";
import { defaultControllerLimiter, type RateLimiter } from "./limiters.ts";
import type { WorkSource } from "./queue_item.ts";

/** Options of {@link WorkQueue}. */
export interface WorkQueueOptions<K> extends BaseQueueOptions {
  readonly world: Pick<World, "clock">;
  /** Delays retries; {@link defaultControllerLimiter} if absent. */
  readonly limiter?: RateLimiter<K>;
}

/**
 * The queue of a controller: keys that need work, now, later, or after a failure.
 *
 * Contract, beyond that of {@link BaseQueue} and {@link DelayingQueue}:
 * 1. `addRateLimited` adds a key after the delay its limiter names; an ordinary `add` is never delayed.
 * 2. `forget` clears the limiter's record of a key and leaves it queued; call it on success and when giving up.
 * 3. `numRequeues` is the number of failures since the last `forget`.
 *
 * Upstream: `k8s.io/client-go/util/workqueue/rate_limiting_queue.go`.
 *
 * @example
 * ```ts
 * import { WorkQueue } from "kubeloop/workqueue";
 * import { FakeWorld } from "kubeloop/world";
 * import { assertEquals } from "@std/assert";
 *
 * const queue = new WorkQueue({ world: new FakeWorld() });
 * queue.add("default/web", "pod added");
 * queue.add("default/web", "deployment updated");
 * const item = await queue.get();
 * assertEquals(item?.key, "default/web");
 * assertEquals(item?.causes.texts, ["pod added", "deployment updated"]);
 * queue.done("default/web");
 * assertEquals(queue.length, 0);
 * ```
 */
export class WorkQueue<K = string> extends DelayingQueue<K> implements WorkSource<K> {
  readonly #limiter: RateLimiter<K>;

  constructor({ limiter, ...options }: WorkQueueOptions<K>) {
    super(options);
    this.#limiter = limiter ?? defaultControllerLimiter(options.world.clock);
  }

  /** Adds `key` after its limiter's delay, which grows with each call until {@link forget}. */
  addRateLimited(key: K, cause?: Cause): void {
    this.addAfter(key, this.#limiter.when(key), cause);
  }

  forget(key: K): void {
    this.#limiter.forget(key);
  }

  numRequeues(key: K): number {
    return this.#limiter.numRequeues(key);
  }
}
