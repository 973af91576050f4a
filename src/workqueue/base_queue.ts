import { type Clock, Deferred, invariant, type MetricsRegistry, RingBuffer, type World } from "../base/mod.ts";
import { type Cause, Causes } from "./causes.ts";
import type { QueueItem } from "./queue_item.ts";
import { type QueueMetrics, queueMetrics } from "./queue_metrics.ts";

/** Options of a queue. */
export interface BaseQueueOptions {
  readonly world: Pick<World, "clock">;
  /** The metric label; a queue without a name publishes no metrics. */
  readonly name?: string;
  readonly metrics?: MetricsRegistry;
}

/** A key that must be processed. */
interface Dirty {
  readonly addedMs: number;
  readonly causes: Causes;
}

/**
 * A queue of keys that each need work, not of the work itself.
 *
 * Contract:
 * 1. A key is never handed out again before `done` was called for it.
 * 2. Adding a key that waits changes nothing but its causes: many adds while it waits are one run.
 * 3. Adding a key while it is processed gives exactly one more run, after its `done`.
 * 4. No key is lost: after its last `add` it is handed out once more.
 * 5. Keys are handed out in the order in which they were queued; one that was added while processed is queued at its
 *    `done`.
 * 6. After `shutDown` nothing is added, what is queued is still handed out, then `get` gives `undefined`.
 * 7. `shutDownWithDrain` also waits until all that was handed out or queued is done; a `shutDown` releases it.
 * 8. The causes of all adds since a key was last handed out come with it, distinct and bounded.
 * 9. `length` counts the keys that are queued, not those that are processed.
 *
 * Every operation takes constant time, whatever the queue holds. A getter that waits is woken in a microtask, so that
 * several adds of one key in a row are still one run. Upstream: `k8s.io/client-go/util/workqueue/queue.go`.
 *
 * @typeParam K Keys; compared as a `Map` does, so strings by value.
 */
export class BaseQueue<K = string> {
  readonly name: string;
  protected readonly clock: Clock;
  protected readonly metrics: QueueMetrics;
  /** Keys to be handed out, each once, each in `#dirty` and not in `#processing`. */
  readonly #queue = new RingBuffer<K>();
  /** Keys that must be processed; those also in `#processing` are queued at their `done`. */
  readonly #dirty = new Map<K, Dirty>();
  /** Keys handed out, with the monotonic time of that. */
  readonly #processing = new Map<K, number>();
  readonly #getters = new RingBuffer<() => void>();
  #shuttingDown = false;
  #drained: Deferred | undefined;

  constructor({ world, name = "", metrics }: BaseQueueOptions) {
    this.name = name;
    this.clock = world.clock;
    this.metrics = queueMetrics({
      registry: metrics,
      clock: world.clock,
      name,
      started: () => this.#processing.values(),
    });
  }

  /** Keys queued and not handed out. Neither those in processing nor those still delayed. */
  get length(): number {
    return this.#queue.length;
  }

  get isShuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /** Marks `key` as needing work. Ignored once the queue shuts down. */
  add(key: K, cause?: Cause): void {
    const causes = this.#mark(key);
    if (cause !== undefined) causes?.add(cause);
  }

  /** Waits for a key, oldest first; `undefined` once the queue is shut down and empty. Follow each with one `done`. */
  async get(): Promise<QueueItem<K> | undefined> {
    while (this.#queue.length === 0) {
      if (this.#shuttingDown) return undefined;
      await new Promise<void>((resolve) => this.#getters.push(resolve));
    }
    const key = this.#queue.shift()!;
    invariant(!this.#processing.has(key), `queue "${this.name}" hands "${key}" out while it is worked on`);
    const { addedMs, causes } = this.#dirty.get(key)!;
    this.#dirty.delete(key);
    const nowMs = this.clock.monotonicMs();
    this.#processing.set(key, nowMs);
    const waitedMs = nowMs - addedMs;
    this.metrics.handedOut(waitedMs);
    return { key, causes, waitedMs };
  }

  /**
   * Ends the processing of `key`, whether it succeeded or not. Queues it again if it was added meanwhile.
   *
   * @throws {Error} If `key` was not handed out.
   */
  done(key: K): void {
    const startedMs = this.#processing.get(key);
    if (startedMs === undefined) {
      throw new Error(
        `Cannot end the processing of "${key}" in queue "${this.name}": it was not handed out, or done was called twice`,
      );
    }
    this.#processing.delete(key);
    this.metrics.done(startedMs);
    if (this.#dirty.has(key)) this.#push(key);
    else this.#checkDrained();
  }

  /** Ends the queue: adds are ignored from now on, and a drain under way is released. Idempotent. */
  shutDown(): void {
    this.#close();
    this.#drained?.resolve();
  }

  /**
   * Ends the queue and waits until everything queued or handed out is done, so workers must keep calling `get` and
   * `done`; or until {@link shutDown} is called.
   */
  shutDownWithDrain(): Promise<void> {
    this.#close();
    if (!this.#drained || this.#drained.settled) this.#drained = new Deferred();
    this.#checkDrained();
    return this.#drained.promise;
  }

  /** As {@link add}, with causes collected elsewhere. */
  protected addWithCauses(key: K, causes: Causes): void {
    this.#mark(key)?.addAll(causes);
  }

  #mark(key: K): Causes | undefined {
    if (this.#shuttingDown) return undefined;
    const dirty = this.#dirty.get(key);
    if (dirty) return dirty.causes;
    const causes = new Causes();
    this.#dirty.set(key, { addedMs: this.clock.monotonicMs(), causes });
    this.metrics.added();
    if (!this.#processing.has(key)) this.#push(key);
    return causes;
  }

  #push(key: K): void {
    this.#queue.push(key);
    this.#getters.shift()?.();
  }

  #close(): void {
    if (this.#shuttingDown) return;
    this.#shuttingDown = true;
    this.metrics.freeze();
    for (let wake = this.#getters.shift(); wake; wake = this.#getters.shift()) wake();
  }

  #checkDrained(): void {
    if (this.#processing.size === 0 && this.#queue.length === 0) this.#drained?.resolve();
  }
}
