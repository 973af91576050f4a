import { activities, type Activity } from "../client/mod.ts";
import {
  type AmbientPlace,
  type Clock,
  errorText,
  InvariantError,
  sleep,
  TurnBudget,
  type World,
} from "../base/mod.ts";
import type { Causes, Reason } from "./causes.ts";
import type { QueueItem, WorkSource } from "./queue_item.ts";
import { type Outcome, SyncNotes, type SyncRecord } from "./sync_notes.ts";

/** A worker loop that fails restarts after this long, as with upstream's `wait.Until`. */
const RESTART_MS = 1000;
/** Workers that never wait give the event loop a turn after this many keys. */
const TURN_KEYS = 64;
/** How much of an error's text a cause contains. */
const CAUSE_LENGTH = 200;

/** Options of {@link runWorkers}. */
export interface RunWorkersOptions<K> {
  /** How many keys are processed at a time, at least 1. */
  readonly workers: number;
  readonly world: Pick<World, "clock" | "log">;
  /** Ends the workers: the queue is shut down and no further key is processed. */
  readonly signal: AbortSignal;
  /** Syncs one key; throws if that fails. */
  sync(key: K, causes: Causes): Promise<void>;
  /** Decides about a failed key, instead of logging and retrying it. */
  onError?(key: K, error: unknown): "retry" | "forget";
  /** Called with the record of each sync when it has ended. */
  onSynced?(key: K, record: SyncRecord): void;
}

/**
 * Processes the keys of `queue` with several workers until `signal` aborts; resolves when all have ended.
 *
 * Contract:
 * 1. A key that succeeded is forgotten; one that failed is added again rate limited, unless `onError` says otherwise.
 * 2. `done` is called for every key that was handed out, however its work ended.
 * 3. Once `signal` has aborted no work is started; work under way is waited for.
 * 4. Work that never waits does not keep the event loop from turning.
 * 5. An `InvariantError` ends all workers: it is thrown once work under way has ended, and no other key is worked on.
 *
 * @example
 * ```ts
 * import { runWorkers, WorkQueue } from "kubeloop/workqueue";
 * import { FakeWorld } from "kubeloop/world";
 * import { assertEquals } from "@std/assert";
 *
 * const world = new FakeWorld();
 * const queue = new WorkQueue({ world });
 * const stop = new AbortController();
 * const synced: string[] = [];
 * queue.add("default/web");
 * await runWorkers(queue, {
 *   workers: 2,
 *   world,
 *   signal: stop.signal,
 *   sync: async (key) => {
 *     synced.push(key);
 *     stop.abort();
 *   },
 * });
 * assertEquals(synced, ["default/web"]);
 * ```
 */
export async function runWorkers<K>(queue: WorkSource<K>, options: RunWorkersOptions<K>): Promise<void> {
  const { workers, world: { clock, log } } = options;
  const turns = new Turns(clock);
  const broken = new AbortController();
  const signal = AbortSignal.any([options.signal, broken.signal]);
  const shutDown = () => queue.shutDown();
  const worker = async () => {
    do {
      try {
        const loop = (activity: AmbientPlace<Activity>) => work(queue, { ...options, signal }, { turns, activity });
        return await (options.onSynced ? activities.loop(loop) : loop({ value: undefined }));
      } catch (error) {
        if (error instanceof InvariantError) return broken.abort(error);
        log.error("Worker ended by an error", { err: error, queue: queue.name, restartAfterMs: RESTART_MS });
      }
    } while (await sleep(clock, RESTART_MS, signal));
  };
  if (signal.aborted) shutDown();
  signal.addEventListener("abort", shutDown, { once: true });
  await Promise.all(Array.from({ length: Math.max(1, workers) }, worker));
  signal.removeEventListener("abort", shutDown);
  if (broken.signal.aborted) throw broken.signal.reason;
}

/** @param worker.activity Holds the notes of the current work. */
async function work<K>(
  queue: WorkSource<K>,
  options: RunWorkersOptions<K>,
  { turns, activity }: { readonly turns: Turns; readonly activity: AmbientPlace<Activity> },
): Promise<void> {
  const { signal, onSynced, world: { clock } } = options;
  for (;;) {
    const item = await queue.get();
    if (!item) return;
    try {
      if (signal.aborted) continue; // drains what is still queued, unprocessed
      await turns.next();
      if (signal.aborted) continue;
      if (!onSynced) {
        endOnViolation(await workOn(queue, options, item));
        continue;
      }
      const begunMs = clock.monotonicMs();
      const notes = new SyncNotes(item, clock.wallMs());
      activity.value = notes;
      const end = await workOn(queue, options, item);
      activity.value = undefined;
      notes.end(end.outcome, { durationMs: clock.monotonicMs() - begunMs, error: end.error });
      onSynced(item.key, notes);
      endOnViolation(end);
    } finally {
      queue.done(item.key);
    }
  }
}

/** The result of a key's work. */
interface End {
  readonly outcome: Outcome;
  readonly error?: unknown;
}

function endOnViolation({ error }: End): void {
  if (error instanceof InvariantError) throw error;
}

/** Syncs a key and decides what to do with it next; never rejects. */
async function workOn<K>(queue: WorkSource<K>, options: RunWorkersOptions<K>, item: QueueItem<K>): Promise<End> {
  try {
    await options.sync(item.key, item.causes);
    queue.forget(item.key);
    return { outcome: "done" };
  } catch (error) {
    return { outcome: onFailure(queue, options, item.key, error), error };
  }
}

function onFailure<K>(
  queue: WorkSource<K>,
  options: RunWorkersOptions<K>,
  key: K,
  error: unknown,
): "retry" | "forget" {
  const decision = error instanceof InvariantError ? "forget" : decide(queue, options, key, error);
  if (decision === "forget") queue.forget(key);
  else queue.addRateLimited(key, new Retry(errorText(error)));
  return decision;
}

/** The cause of a retry. */
class Retry implements Reason {
  readonly refersTo = "failure";
  readonly #text: string;

  constructor(error: string) {
    this.#text = `retry: ${error.slice(0, CAUSE_LENGTH)}`;
  }

  toString(): string {
    return this.#text;
  }

  isSameAs(other: Reason): boolean {
    return other instanceof Retry && other.#text === this.#text;
  }
}

function decide<K>(
  queue: WorkSource<K>,
  { onError, world: { log } }: RunWorkersOptions<K>,
  key: K,
  error: unknown,
): "retry" | "forget" {
  try {
    if (onError) return onError(key, error);
    log.error("Sync failed, will retry", { err: error, queue: queue.name, key });
  } catch (failure) {
    log.error("Deciding about a failed key failed, will retry", { err: failure, queue: queue.name, key });
  }
  return "retry";
}

/** Gives the event loop occasional turns; all workers of a queue wait for the same one. */
class Turns {
  readonly #budget: TurnBudget;
  #keys = 0;

  constructor(clock: Clock) {
    this.#budget = new TurnBudget(clock);
  }

  /** Resolves at once, or after a turn if one is due. */
  next(): Promise<void> | undefined {
    if (++this.#keys < TURN_KEYS && !this.#budget.spent) return undefined;
    this.#keys = TURN_KEYS; // later callers before the turn wait for it too
    return this.#budget.nextTurn().then(() => void (this.#keys = 0));
  }
}
