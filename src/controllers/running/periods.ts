import { type Clock, sleep } from "../../base/mod.ts";

/**
 * Calls `round` until `signal` aborts, each time `periodMs` after the previous call ended.
 *
 * @example
 * ```ts
 * import { periodically } from "./mod.ts";
 * import { FakeClock } from "kubeloop/world";
 * import { assertEquals } from "@std/assert";
 *
 * const clock = new FakeClock();
 * const stop = new AbortController();
 * let rounds = 0;
 * const running = periodically({ clock, signal: stop.signal, periodMs: 60_000 }, () => void rounds++);
 * await clock.advance(60_000);
 * stop.abort();
 * await running;
 * assertEquals(rounds, 2);
 * ```
 */
export async function periodically(
  { clock, signal, periodMs }: {
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly periodMs: number;
  },
  round: () => Promise<void> | void,
): Promise<void> {
  while (!signal.aborted) {
    await round();
    await sleep(clock, periodMs, signal);
  }
}

/** Runs `wait` with a signal that aborts when `signal` does, or after `timeoutMs`. */
export async function withTimeout<T>(
  { clock, signal, timeoutMs }: { clock: Clock; signal: AbortSignal; timeoutMs: number },
  wait: (limit: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const abort = () => limit.abort();
  const timer = clock.setTimer(timeoutMs, abort);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await wait(limit.signal);
  } finally {
    timer.cancel();
    signal.removeEventListener("abort", abort);
  }
}
