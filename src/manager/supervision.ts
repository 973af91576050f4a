import { sleep, type World } from "../base/mod.ts";
import type { Health } from "./health.ts";

/** Who started this process, and starts it again where it does not say that it is well: systemd. */
export interface Supervisor {
  /** Says something, in the words of `sd_notify(3)`, such as `READY=1`. */
  send(message: string): Promise<unknown>;
  /** It must hear that all is well at least this often; it does not wait for that if absent. */
  readonly watchdogMs?: number;
}

/** What is said of a process. */
export interface SupervisionOptions {
  readonly world: World;
  readonly health: Pick<Health, "failures">;
  /** Aborts when the process is to stop. */
  readonly signal: AbortSignal;
}

/**
 * Tells a supervisor how this process is, from now on until it is disposed.
 *
 * Contract:
 * 1. That it is ready is said first and once; that it stops, once its signal has aborted.
 * 2. That all is well is said twice in each of the supervisor's intervals, by a timer of the event loop: one that is frozen is
 *    silent.
 * 3. While a health check fails it is silent too, as `/healthz` is not healthy, until the process is to stop.
 * 4. What cannot be said is logged, once, and changes nothing else.
 *
 * A standby is ready: it never leads as long as another does.
 */
export function supervise(supervisor: Supervisor | undefined, options: SupervisionOptions): AsyncDisposable {
  if (!supervisor) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  const { world: { log }, signal } = options;
  const end = new AbortController();
  let said: Promise<unknown> = Promise.resolve();
  let hasFailed = false;
  const say = (message: string) => {
    said = said.then(() => supervisor.send(message)).catch((error: Error) => {
      if (!hasFailed) log.warn("Cannot tell systemd how this process is", { err: error, message });
      hasFailed = true;
    });
  };
  say("READY=1");
  const sayStopping = () => say("STOPPING=1");
  if (signal.aborted) sayStopping();
  else signal.addEventListener("abort", sayStopping, { once: true, signal: end.signal });
  const beating = beat(supervisor.watchdogMs, { ...options, say, end: end.signal });
  return {
    [Symbol.asyncDispose]: async () => {
      end.abort();
      await beating;
      await said;
    },
  };
}

interface BeatOptions extends SupervisionOptions {
  readonly end: AbortSignal;
  say(message: string): void;
}

async function beat(
  watchdogMs: number | undefined,
  { world: { clock, log }, health, signal, say, end }: BeatOptions,
): Promise<void> {
  if (watchdogMs === undefined) return;
  let wasWell = true;
  while (await sleep(clock, watchdogMs / 2, end)) {
    const failing = health.failures().map(({ name }) => name);
    const isWell = failing.length === 0 || signal.aborted;
    if (isWell) say("WATCHDOG=1");
    else if (wasWell) log.warn("The watchdog is not told that all is well", { checks: failing.join(","), watchdogMs });
    wasWell = isWell;
  }
}
