import type { Clock } from "../../base/mod.ts";
import { BucketLimiter, ItemExponentialLimiter, MaxOfLimiter, type RateLimiter } from "../../workqueue/mod.ts";

/**
 * Delays of failed namespaces: 5 ms doubling up to a minute, ten a second in all after a burst of a hundred. A
 * namespace whose content merely needs time is delayed by that time instead, which neither counts as a failure nor
 * resets the failures.
 */
export class NamespaceLimiter implements RateLimiter<string> {
  readonly #failures: RateLimiter<string>;
  readonly #expectedMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#failures = new MaxOfLimiter(
      new ItemExponentialLimiter<string>({ baseMs: 5, maxMs: 60_000 }),
      new BucketLimiter<string>({ clock, perSecond: 10, burst: 100 }),
    );
  }

  /** The next delay of `name` is `delayMs`. */
  expect(name: string, delayMs: number): void {
    this.#expectedMs.set(name, delayMs);
  }

  when(name: string): number {
    const expectedMs = this.#expectedMs.get(name);
    this.#expectedMs.delete(name);
    return expectedMs ?? this.#failures.when(name);
  }

  forget(name: string): void {
    this.#expectedMs.delete(name);
    this.#failures.forget(name);
  }

  numRequeues(name: string): number {
    return this.#failures.numRequeues(name);
  }
}
