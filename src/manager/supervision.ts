import { type Clock, sleep, type World } from "../base/mod.ts";
import type { Health } from "./health.ts";

/** The supervisor that started this process and restarts it unless it reports that it is well: systemd. */
export interface Supervisor {
  /** Sends a message of `sd_notify(3)`, such as `READY=1`. */
  send(message: string): Promise<unknown>;
  /** How often it must be told that all is well; if absent, it does not expect that. */
  readonly watchdogMs?: number;
}

/** What to report about a process. */
export interface SupervisionOptions {
  readonly world: World;
  readonly health: Pick<Health, "failures" | "readiness">;
  /** Aborts when the process is to stop. */
  readonly signal: AbortSignal;
  /** What the process does at first, in a few words. */
  readonly doing: string;
}

/** Reports until it is disposed. */
export interface Supervision extends AsyncDisposable {
  /** Sets what the process does from now on, in a few words. */
  does(what: string): void;
}

/** How often readiness is checked. */
const LOOK_MS = 5000;

/** A status line is for people, who read no more than this. */
const MOST_STATUS_CHARS = 500;

/**
 * Reports this process's state to a supervisor until it is disposed.
 *
 * Contract:
 * 1. Readiness is reported first, and once; stopping is reported once its signal has aborted.
 * 2. The watchdog is notified twice in each of the supervisor's intervals, by a timer of the event loop: a frozen one
 *    stays silent.
 * 3. It also stays silent while a health check fails, when `/healthz` fails too, until the process is told to stop.
 * 4. A message that cannot be sent is logged, once, and changes nothing else.
 * 5. A status line reports each change of what the process does, and within five seconds what is not ready and why.
 *
 * A standby is ready: it never leads as long as another does.
 */
export function supervise(supervisor: Supervisor | undefined, options: SupervisionOptions): Supervision {
  if (!supervisor) return { does: () => {}, [Symbol.asyncDispose]: () => Promise.resolve() };
  const { world: { clock, log }, signal } = options;
  const end = new AbortController();
  let said: Promise<unknown> = Promise.resolve();
  let hasFailed = false;
  const say = (message: string) => {
    said = said.then(() => supervisor.send(message)).catch((error: Error) => {
      if (!hasFailed) log.warn("Cannot report this process's state to systemd", { err: error, message });
      hasFailed = true;
    });
  };
  let { doing } = options;
  let status = "";
  const look = () => {
    const now = signal.aborted ? "Stopping" : statusOf(doing, options.health);
    if (now === status) return;
    status = now;
    say(`STATUS=${status}`);
  };
  const sayStopping = () => {
    say("STOPPING=1");
    look();
  };
  say("READY=1");
  if (signal.aborted) sayStopping();
  else signal.addEventListener("abort", sayStopping, { once: true, signal: end.signal });
  look();
  const beating = Promise.all([
    beat(supervisor.watchdogMs, { ...options, say, end: end.signal }),
    every(LOOK_MS, { clock, end: end.signal }, look),
  ]);
  return {
    does: (what) => {
      doing = what;
      look();
    },
    [Symbol.asyncDispose]: async () => {
      end.abort();
      await beating;
      await said;
    },
  };
}

/** One line, because the next line would be a different message. */
function statusOf(doing: string, health: SupervisionOptions["health"]): string {
  const notReady = health.readiness().flatMap(({ name, reason }) =>
    reason === undefined ? [] : [`${name} (${reason})`]
  );
  const text = notReady.length === 0 ? doing : `${doing}; not ready: ${notReady.join(", ")}`;
  const line = text.replaceAll(/\s+/g, " ");
  return line.length <= MOST_STATUS_CHARS ? line : `${line.slice(0, MOST_STATUS_CHARS - 1)}…`;
}

async function every(
  ms: number,
  { clock, end }: { readonly clock: Clock; readonly end: AbortSignal },
  act: () => void,
): Promise<void> {
  while (await sleep(clock, ms, end)) act();
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
    else if (wasWell) log.warn("Not feeding systemd's watchdog", { checks: failing.join(","), watchdogMs });
    wasWell = isWell;
  }
}
