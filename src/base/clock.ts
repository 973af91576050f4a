import { setImmediate } from "node:timers";

/** A pending call; `cancel` is idempotent and does nothing once the call was made. */
export interface Timer {
  cancel(): void;
}

/**
 * The source of time. Everything in kubeloop that waits or reads the time uses one, so that tests and simulations
 * control time.
 */
export interface Clock {
  /** Milliseconds since an arbitrary start; never goes back, does not follow changes of the wall clock. Fractional. */
  monotonicMs(): number;
  /** Milliseconds since 1970 UTC by the wall clock. Fractional, to microseconds where the platform gives them. */
  wallMs(): number;
  /** Calls `fn` once after `delayMs` (at least 0) unless cancelled first. */
  setTimer(delayMs: number, fn: () => void): Timer;
  /**
   * Resolves after one turn of the event loop, in which timers, sockets and other loops can run. Takes no clock time.
   */
  nextTurn(): Promise<void>;
}

/** `setTimeout` counts in 32 bits; a longer delay would fire at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The platform's clock. */
export class SystemClock implements Clock {
  monotonicMs(): number {
    return performance.now();
  }

  wallMs(): number {
    return Date.now();
  }

  setTimer(delayMs: number, fn: () => void): Timer {
    const endMs = performance.now() + delayMs;
    let id: ReturnType<typeof setTimeout>;
    const arm = () => {
      const leftMs = endMs - performance.now();
      id = leftMs > LONGEST_TIMEOUT_MS ? setTimeout(arm, LONGEST_TIMEOUT_MS) : setTimeout(fn, Math.max(0, leftMs));
    };
    arm();
    return { cancel: () => clearTimeout(id) };
  }

  nextTurn(): Promise<void> {
    return nextTurn();
  }
}

/** One real turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Waits `delayMs` by `clock`, or until `signal` aborts.
 *
 * @returns `true` after the full delay, `false` if `signal` ended it early. Never rejects.
 *
 * @example
 * ```ts
 * import { FakeClock, sleep } from "kubeloop/world";
 * import { assertEquals } from "@std/assert";
 *
 * const clock = new FakeClock();
 * const slept = sleep(clock, 60_000);
 * await clock.advance(60_000);
 * assertEquals(await slept, true);
 * ```
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onAbort = () => {
      timer.cancel();
      resolve(false);
    };
    const timer = clock.setTimer(delayMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve(true);
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
