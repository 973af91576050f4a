import type { Clock } from "../base/mod.ts";

/** Spaces the requests of one client. */
export interface RequestLimiter {
  /** Reserves a token and returns the milliseconds until it may be used. */
  reserveMs(): number;
  /** Returns a token that will not be used. */
  release(): void;
}

/**
 * A token bucket: `burst` requests at once, then `qps` per second.
 *
 * Contract:
 * 1. A full bucket lets `burst` requests pass at once; after that one passes every 1/qps seconds, in order of asking.
 * 2. A negative qps never delays.
 * 3. A token given back shortens the wait of those who ask later.
 *
 * Upstream: `k8s.io/client-go/util/flowcontrol/throttle.go`, `golang.org/x/time/rate`.
 *
 * @example
 * ```ts
 * import { TokenBucket } from "kubeloop/client";
 * import { FakeClock } from "kubeloop/world";
 * import { assertEquals } from "@std/assert";
 *
 * const bucket = new TokenBucket(new FakeClock(), { qps: 20, burst: 1 });
 * assertEquals([bucket.reserveMs(), bucket.reserveMs()], [0, 50]);
 * ```
 */
export class TokenBucket implements RequestLimiter {
  readonly #clock: Clock;
  readonly #qps: number;
  readonly #burst: number;
  #tokens: number;
  #filledMs: number;

  /** @throws {RangeError} If qps is 0, or burst is less than 1 while qps is positive: no request could ever pass. */
  constructor(clock: Clock, { qps, burst }: { readonly qps: number; readonly burst: number }) {
    if (!(qps < 0) && (!(qps > 0) || !(burst >= 1))) {
      throw new RangeError(
        `Cannot limit requests: qps must not be 0 and burst must be at least 1: current values are ${qps} and ${burst}`,
      );
    }
    this.#clock = clock;
    this.#qps = qps;
    this.#burst = burst;
    this.#tokens = burst;
    this.#filledMs = clock.monotonicMs();
  }

  reserveMs(): number {
    if (this.#qps < 0) return 0;
    this.#fill();
    this.#tokens--;
    return this.#tokens >= 0 ? 0 : (-this.#tokens * 1000) / this.#qps;
  }

  release(): void {
    if (this.#qps < 0) return;
    this.#fill();
    this.#tokens = Math.min(this.#burst, this.#tokens + 1);
  }

  #fill(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((nowMs - this.#filledMs) * this.#qps) / 1000);
    this.#filledMs = nowMs;
  }
}
