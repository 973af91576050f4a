import type { Clock } from "../../base/mod.ts";

/** Runs `wait` with a signal that aborts with `signal`, at the latest after `timeoutMs`. */
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
