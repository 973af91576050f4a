import { activities } from "../client/mod.ts";
import type { Clock, MetricsRegistry, World } from "../base/mod.ts";
import { type Cause, Causes } from "./causes.ts";
import { HeadTimer } from "./head_timer.ts";
import { ItemExponentialLimiter, type RateLimiter } from "./limiters.ts";
import type { QueueItem, WorkSource } from "./queue_item.ts";
import { type QueueMetrics, queueMetrics } from "./queue_metrics.ts";
import { WithdrawableHeap } from "./withdrawable_heap.ts";

/** For keys from an initial list and for updates that changed nothing, so that a restart does not delay fresh changes. */
export const LOW_PRIORITY = -100;

/** What a {@link PriorityQueue} is made of. */
export interface PriorityQueueOptions<K> {
  readonly world: Pick<World, "clock">;
  /** The metric label; a queue without a name publishes no metrics. */
  readonly name?: string;
  readonly metrics?: MetricsRegistry;
  /** Per key 5 ms, doubling up to 1000 s, if absent. */
  readonly limiter?: RateLimiter<K>;
}

/** How keys are added to a {@link PriorityQueue}. */
export interface PriorityAddOptions {
  /** Higher first; 0 if absent. */
  readonly priority?: number;
  readonly afterMs?: number;
  /** Waits as long as the limiter says, if that is shorter than `afterMs` or there is no `afterMs`. */
  readonly rateLimited?: boolean;
  readonly cause?: Cause;
}

/** A key handed out, and the priority it had. */
export interface PriorityItem<K> extends QueueItem<K> {
  readonly priority: number;
}

/** Replaced, never changed: a heap must not see its order change. */
interface Entry<K> {
  readonly key: K;
  readonly priority: number;
  /** Orders keys of one priority. */
  readonly counter: number;
  /** `undefined` once ready. */
  readonly readyAtMs: number | undefined;
  /** When it became ready. */
  readonly addedMs: number;
  readonly causes: Causes;
  withdrawn: boolean;
}

/**
 * A queue that hands out keys of higher priority first.
 *
 * Contract:
 * 1. Of the ready keys the one with the highest priority is handed out, of several the one that was ready first.
 * 2. A key is queued once: adding it again keeps the higher priority and the earlier time.
 * 3. Raising a key's priority puts it behind the others of its new priority.
 * 4. A key that is processed can be queued again, counts in `length`, and is handed out only after its `done`.
 * 5. `shutDown` releases all getters at once and drops what is queued; `shutDownWithDrain` does the same.
 * 6. A key added rate limited while it is processed keeps its priority.
 * 7. What is {@link Due} later than a key is handed out is no cause of it.
 *
 * Upstream: `sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue`.
 *
 * @example
 * ```ts
 * import { LOW_PRIORITY, PriorityQueue } from "./mod.ts";
 * import { FakeWorld } from "../base/mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const queue = new PriorityQueue({ world: new FakeWorld() });
 * queue.addWithOptions({ priority: LOW_PRIORITY }, "default/listed");
 * queue.add("default/changed");
 * assertEquals((await queue.get())?.key, "default/changed");
 * ```
 */
export class PriorityQueue<K = string> implements WorkSource<K> {
  readonly name: string;
  readonly #clock: Clock;
  readonly #limiter: RateLimiter<K>;
  readonly #metrics: QueueMetrics;
  /** Every key that is queued or waits; at most one entry each. */
  readonly #entries = new Map<K, Entry<K>>();
  /** Ready entries whose key is not processed. */
  readonly #ready = new WithdrawableHeap<Entry<K>>(byPriority);
  readonly #waiting = new WithdrawableHeap<Entry<K>>((a, b) => a.readyAtMs! - b.readyAtMs! || byPriority(a, b));
  /** Keys handed out: when, and with which priority. */
  readonly #processing = new Map<K, { readonly startedMs: number; readonly priority: number }>();
  readonly #timer: HeadTimer;
  #getters: (() => void)[] = [];
  #counter = 0;
  #readyCount = 0;
  #shutDown = false;

  constructor({ world, name = "", metrics, limiter }: PriorityQueueOptions<K>) {
    this.name = name;
    this.#clock = world.clock;
    this.#limiter = limiter ?? new ItemExponentialLimiter<K>({ baseMs: 5, maxMs: 1_000_000 });
    this.#timer = new HeadTimer(world.clock, () => this.#wake());
    this.#metrics = queueMetrics({
      registry: metrics,
      clock: world.clock,
      name,
      started: () => this.#processing.values().map(({ startedMs }) => startedMs),
      byPriority: true,
    });
  }

  /** Keys that are ready, those whose key is still processed included. */
  get length(): number {
    return this.#readyCount;
  }

  add(key: K, cause?: Cause): void {
    this.addWithOptions({ cause }, key);
  }

  addAfter(key: K, delayMs: number, cause?: Cause): void {
    this.addWithOptions({ afterMs: delayMs, cause }, key);
  }

  addRateLimited(key: K, cause?: Cause): void {
    this.addWithOptions({ rateLimited: true, priority: this.#processing.get(key)?.priority, cause }, key);
  }

  addWithOptions(options: PriorityAddOptions, ...keys: readonly K[]): void {
    if (this.#shutDown) return;
    for (const key of keys) this.#add(key, options);
    this.#timer.arm(this.#waiting.peek()?.readyAtMs);
  }

  /** Waits for a ready key; `undefined` once the queue is shut down. Follow each with one {@link done}. */
  async get(): Promise<PriorityItem<K> | undefined> {
    let entry: Entry<K> | undefined;
    while (!this.#shutDown && !(entry = this.#ready.pop())) {
      await new Promise<void>((resolve) => this.#getters.push(resolve));
    }
    if (!entry) return undefined;
    const { key, priority, addedMs, causes } = entry;
    this.#entries.delete(key);
    this.#readyCount--;
    const nowMs = this.#clock.monotonicMs();
    causes.ripen(nowMs);
    this.#processing.set(key, { startedMs: nowMs, priority });
    this.#metrics.handedOut(addedMs, priority);
    return { key, priority, causes, waitedMs: nowMs - addedMs };
  }

  /** @throws {Error} If `key` was not handed out. */
  done(key: K): void {
    const started = this.#processing.get(key);
    if (!started) {
      throw new Error(
        `Cannot end the processing of "${key}" in queue "${this.name}": it was not handed out, or done was called twice`,
      );
    }
    this.#processing.delete(key);
    this.#metrics.done(started.startedMs);
    const entry = this.#entries.get(key);
    if (entry && entry.readyAtMs === undefined) this.#offer(entry);
  }

  forget(key: K): void {
    this.#limiter.forget(key);
  }

  numRequeues(key: K): number {
    return this.#limiter.numRequeues(key);
  }

  /** Ends the queue and drops what is in it. Idempotent. */
  shutDown(): void {
    if (this.#shutDown) return;
    this.#shutDown = true;
    this.#timer.cancel();
    this.#metrics.freeze();
    for (const entry of this.#entries.values()) {
      if (entry.readyAtMs === undefined) this.#metrics.dropped(entry.priority);
    }
    this.#entries.clear();
    this.#readyCount = 0;
    for (const wake of this.#getters.splice(0)) wake();
  }

  /** The same as {@link shutDown}: nothing is drained. */
  shutDownWithDrain(): Promise<void> {
    this.shutDown();
    return Promise.resolve();
  }

  #add(key: K, { priority = 0, afterMs = 0, rateLimited = false, cause }: PriorityAddOptions): void {
    const nowMs = this.#clock.monotonicMs();
    let delayMs = afterMs;
    if (rateLimited) {
      const limitedMs = this.#limiter.when(key);
      if (delayMs <= 0 || limitedMs < delayMs) delayMs = limitedMs;
    }
    if (delayMs > 0) {
      this.#metrics.retried();
      activities.current?.putOff(key, delayMs);
    }
    const readyAtMs = delayMs > 0 ? nowMs + delayMs : undefined;
    const old = this.#entries.get(key);
    const causes = old?.causes ?? new Causes();
    if (cause !== undefined) causes.add(cause, readyAtMs);
    if (!old) {
      const entry = { key, priority, counter: this.#counter++, readyAtMs, addedMs: nowMs, causes, withdrawn: false };
      return this.#put(entry);
    }
    const raised = priority > old.priority;
    const sooner = old.readyAtMs !== undefined && (readyAtMs === undefined || readyAtMs < old.readyAtMs);
    if (!raised && !sooner) return;
    this.#withdraw(old);
    if (raised && old.readyAtMs === undefined) this.#metrics.reprioritised(old.priority, priority);
    this.#put({
      key,
      priority: raised ? priority : old.priority,
      counter: raised || (sooner && readyAtMs === undefined) ? this.#counter++ : old.counter,
      readyAtMs: sooner ? readyAtMs : old.readyAtMs,
      addedMs: old.readyAtMs === undefined ? old.addedMs : nowMs,
      causes,
      withdrawn: false,
    }, { wasReady: old.readyAtMs === undefined });
  }

  #put(entry: Entry<K>, { wasReady = false }: { readonly wasReady?: boolean } = {}): void {
    this.#entries.set(entry.key, entry);
    if (entry.readyAtMs !== undefined) return this.#waiting.push(entry);
    if (!wasReady) this.#metrics.added(entry.priority);
    this.#readyCount++;
    if (!this.#processing.has(entry.key)) this.#offer(entry);
  }

  #withdraw(entry: Entry<K>): void {
    if (entry.readyAtMs !== undefined) return this.#waiting.withdraw(entry);
    this.#readyCount--;
    if (!this.#processing.has(entry.key)) this.#ready.withdraw(entry);
  }

  #offer(entry: Entry<K>): void {
    this.#ready.push(entry);
    this.#getters.shift()?.();
  }

  #wake(): void {
    const nowMs = this.#clock.monotonicMs();
    for (let first = this.#waiting.peek(); first && first.readyAtMs! <= nowMs; first = this.#waiting.peek()) {
      this.#waiting.pop();
      this.#put({ ...first, readyAtMs: undefined, addedMs: nowMs, counter: this.#counter++ });
    }
    this.#timer.arm(this.#waiting.peek()?.readyAtMs);
  }
}

function byPriority<K>(a: Entry<K>, b: Entry<K>): number {
  return b.priority - a.priority || a.counter - b.counter;
}
