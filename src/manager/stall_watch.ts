import { type MetricsRegistry, sleep, type World } from "../base/mod.ts";

/** How often it checks; reported stalls are at most this much too short. */
const LOOK_MS = 500;
/** Shorter stalls are not worth a log line. */
const REPORTED_MS = 1000;

/**
 * Reports stalls of the main thread, during which no request is answered and no lease renewed.
 *
 * Contract:
 * 1. A stall of more than a second is logged with its length once it is over, and counted; also if `signal` aborts
 *    then.
 * 2. A wall clock that ran ahead of the monotonic one by more than a second is logged too: the machine was suspended,
 *    or its clock was set.
 */
export async function watchForStalls(
  { clock, log }: Pick<World, "clock" | "log">,
  { metrics, signal }: { readonly metrics: MetricsRegistry; readonly signal: AbortSignal },
): Promise<void> {
  const stalled = metrics.counter({
    name: "kubeloop_main_thread_stalled_seconds_total",
    help: "For how long the main thread stood still, in all stalls of more than a second.",
  });
  stalled.touch();
  for (;;) {
    const [startedMs, startedWallMs] = [clock.monotonicMs(), clock.wallMs()];
    const goesOn = await sleep(clock, LOOK_MS, signal);
    const passedMs = clock.monotonicMs() - startedMs;
    const stalledMs = passedMs - LOOK_MS;
    if (stalledMs > REPORTED_MS) {
      stalled.inc([], stalledMs / 1000);
      log.warn("The main thread was blocked", { ms: Math.round(stalledMs) });
    }
    const aheadMs = clock.wallMs() - startedWallMs - passedMs;
    if (aheadMs > REPORTED_MS) {
      log.warn("The machine was suspended, or its clock was set forward", { ms: Math.round(aheadMs) });
    }
    if (!goesOn) return;
  }
}
