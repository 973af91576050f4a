import type { RateLimiter } from "../../workqueue/mod.ts";

/** Lets every key wait equally long, whether it failed or not. Upstream: `pkg/controller/podautoscaler/rate_limiters.go`. */
export class IntervalLimiter implements RateLimiter {
  readonly #intervalMs: number;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  when(): number {
    return this.#intervalMs;
  }

  forget(): void {}

  numRequeues(): number {
    return 1;
  }
}
