import type { Clock } from "./clock.ts";

/**
 * A value that is computed at most once a second, whoever asks and how often.
 *
 * Contract:
 * 1. Callers within a second after a computation began share its value.
 * 2. A computation that fails is not repeated within the second either: a flood of requests must not repeat it.
 * 3. A computation that hangs does not delay callers that come a second later.
 *
 * @example
 * ```ts
 * import { FakeClock, OncePerSecond } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const clock = new FakeClock();
 * let computed = 0;
 * const value = new OncePerSecond(clock, () => Promise.resolve(++computed));
 * assertEquals([await value.get(), await value.get()], [1, 1]);
 * await clock.advance(1000);
 * assertEquals(await value.get(), 2);
 * ```
 */
export class OncePerSecond<T> {
  readonly #clock: Clock;
  readonly #compute: () => Promise<T>;
  #value: Promise<T> | undefined;
  #beganMs = 0;

  constructor(clock: Clock, compute: () => Promise<T>) {
    this.#clock = clock;
    this.#compute = compute;
  }

  get(): Promise<T> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#value && nowMs - this.#beganMs < 1000) return this.#value;
    this.#beganMs = nowMs;
    return this.#value = this.#compute();
  }
}
