import { type Clock, setSharedTimer, type Timer } from "../base/mod.ts";

/**
 * An AbortSignal that follows another one and also aborts at a given time. Once its owner disposes it, no timer or
 * listener remains.
 *
 * @example
 * ```ts
 * import { Deadline } from "kubeloop/client";
 * import { FakeClock } from "kubeloop/world";
 * import { assertEquals } from "@std/assert";
 *
 * const clock = new FakeClock();
 * using deadline = new Deadline(clock, { timeoutMs: 5000, reason: () => new Error("too late") });
 * await clock.advance(5000);
 * assertEquals(deadline.signal.aborted, true);
 * ```
 */
export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #endMs: number;
  readonly #parent?: AbortSignal;
  readonly #timer?: Timer;
  readonly #onAbort = () => this.#controller.abort(this.#parent?.reason);

  /** @param options.reason What the signal aborts with when time is up. */
  constructor(
    clock: Clock,
    { signal, timeoutMs, reason }: { signal?: AbortSignal; timeoutMs?: number; reason: () => Error },
  ) {
    this.#clock = clock;
    this.#endMs = timeoutMs ? clock.monotonicMs() + timeoutMs : Infinity;
    if (signal?.aborted) {
      this.#controller.abort(signal.reason);
      return;
    }
    this.#parent = signal;
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    if (timeoutMs) this.#timer = setSharedTimer(clock, timeoutMs, () => this.#controller.abort(reason()));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The milliseconds left. */
  get leftMs(): number {
    return this.#endMs - this.#clock.monotonicMs();
  }

  /** Removes the time limit but keeps following the other signal. */
  lift(): void {
    this.#timer?.cancel();
  }

  /** Cancels the timer and stops following the other signal. Idempotent. */
  [Symbol.dispose](): void {
    this.#timer?.cancel();
    this.#parent?.removeEventListener("abort", this.#onAbort);
  }
}
