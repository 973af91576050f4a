import { splitKey } from "../../api/mod.ts";
import type { Cause, QueueItem, WorkQueue, WorkSource } from "../../workqueue/mod.ts";

/** The most keys that are held here; the others wait in the queue. */
const MAX_HELD = 1000;

/**
 * Hands out the keys of a queue by namespace, so that one read of a namespace from the API server serves many keys.
 *
 * Contract:
 * 1. Keys of one namespace that wait at the same time are handed out one after the other, as one batch.
 * 2. A key that comes once its namespace's batch has begun is in a later batch.
 * 3. Namespaces take turns in the order in which their first keys came.
 * 4. Each batch begins with a call of `begin`; what that returned is `current` until the next one begins.
 * 5. At most 1,000 keys are held; there may be more in the queue.
 * 6. Once the queue is shut down and empty, and all batches are over, there is nothing more.
 *
 * There may be one getter only. Upstream: `pkg/controller/volume/pvcprotection` (pvcProcessingStore).
 *
 * @typeParam B What belongs to a batch.
 */
export class NamespaceBatches<B> implements WorkSource<string> {
  readonly #queue: WorkQueue;
  readonly #begin: (namespace: string) => B;
  readonly #waiting = new Map<string, QueueItem<string>[]>();
  #held = 0;
  #batch: readonly QueueItem<string>[] = [];
  #next = 0;
  #current: { readonly value: B } | undefined;

  constructor(queue: WorkQueue, begin: (namespace: string) => B) {
    this.#queue = queue;
    this.#begin = begin;
  }

  get name(): string {
    return this.#queue.name;
  }

  /**
   * The data of the batch of the last key that was handed out.
   * @throws {Error} If there was none.
   */
  get current(): B {
    if (!this.#current) throw new Error(`Queue "${this.name}" has no batch yet: take a key first`);
    return this.#current.value;
  }

  async get(): Promise<QueueItem<string> | undefined> {
    if (this.#next === this.#batch.length) await this.#nextBatch();
    return this.#batch[this.#next++];
  }

  done(key: string): void {
    this.#queue.done(key);
  }

  forget(key: string): void {
    this.#queue.forget(key);
  }

  addRateLimited(key: string, cause?: Cause): void {
    this.#queue.addRateLimited(key, cause);
  }

  shutDown(): void {
    this.#queue.shutDown();
  }

  async #nextBatch(): Promise<void> {
    await this.#collect();
    this.#next = 0;
    this.#batch = [];
    for (const [namespace, items] of this.#waiting) {
      this.#waiting.delete(namespace);
      this.#held -= items.length;
      this.#batch = items;
      this.#current = { value: this.#begin(namespace) };
      return;
    }
  }

  /** Takes what is queued; waits for a key only if there is none. */
  async #collect(): Promise<void> {
    while (this.#held === 0 || this.#queue.length > 0 && this.#held < MAX_HELD) {
      const item = await this.#queue.get();
      if (!item) return;
      const { namespace } = splitKey(item.key);
      const items = this.#waiting.get(namespace);
      if (items) items.push(item);
      else this.#waiting.set(namespace, [item]);
      this.#held++;
    }
  }
}
