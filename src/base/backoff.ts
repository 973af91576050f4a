import type { Clock } from "./clock.ts";
import type { Random } from "./random.ts";

/** How delays grow. Times in milliseconds. */
export interface BackoffOptions {
  readonly initialMs: number;
  readonly capMs: number;
  readonly factor: number;
  /** Each delay is uniform in [d, d * (1 + jitter)). */
  readonly jitter: number;
  /** Growth restarts if a delay is requested more than this long after it last started. Never if absent. */
  readonly resetMs?: number;
}

/**
 * Delays that grow by `factor` up to `capMs`, with jitter on top.
 * Upstream: `k8s.io/apimachinery/pkg/util/wait` (Backoff, `DelayWithReset`).
 *
 * @example
 * ```ts
 * import { Backoff, FakeWorld } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const backoff = new Backoff(new FakeWorld(), { initialMs: 800, capMs: 30_000, factor: 2, jitter: 0 });
 * assertEquals([backoff.nextMs(), backoff.nextMs(), backoff.nextMs()], [800, 1600, 3200]);
 * ```
 */
export class Backoff {
  readonly #options: BackoffOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  #baseMs: number;
  #startedMs: number;

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }, options: BackoffOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#options = options;
    this.#baseMs = options.initialMs;
    this.#startedMs = clock.monotonicMs();
  }

  /** The next delay in milliseconds. */
  nextMs(): number {
    const { capMs, factor, jitter, resetMs } = this.#options;
    const nowMs = this.#clock.monotonicMs();
    if (resetMs !== undefined && nowMs - this.#startedMs > resetMs) this.reset();
    const baseMs = Math.min(this.#baseMs, capMs);
    this.#baseMs = Math.min(baseMs * factor, capMs);
    return baseMs * (1 + this.#random.float() * jitter);
  }

  /** Restarts growth. */
  reset(): void {
    this.#baseMs = this.#options.initialMs;
    this.#startedMs = this.#clock.monotonicMs();
  }
}
