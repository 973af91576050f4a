import type { KubeObject } from "../api/mod.ts";
import { Deferred, RingBuffer } from "../base/mod.ts";
import { type Delta, isObjectDelta, type ObjectDelta } from "./delta.ts";
import type { StoreContent } from "./store_content.ts";
import { DeletedFinalStateUnknown, deletedKey } from "./tombstone.ts";

/** How many waiting deltas make producers wait; upstream's limit. */
const MAX_WAITING = 2000;
/** The largest batch; upstream's limit. */
const MAX_BATCH = 1000;

/** Receives popped deltas: either a single ReplacedAll, SyncAll or Bookmark, or changes of distinct objects. */
export type DeltaConsumer<T extends KubeObject> = (
  deltas: readonly Delta<T>[],
  isInInitialList: boolean,
) => void | Promise<void>;

/** Options of {@link DeltaFifo.replace}. */
export interface ReplaceOptions<T> {
  /** The same objects, already indexed. */
  readonly content?: StoreContent<T>;
  /** Keys whose objects stay as they are if they are not among the objects. */
  readonly keep?: readonly string[];
}

/**
 * The queue between a watch and its cache, with the promises of v1.36's in-order queue in atomic mode.
 *
 * Contract:
 * 1. Deltas leave in the order in which they came; nothing is dropped or merged.
 * 2. A pop hands over up to 1000 changes of distinct objects; it ends before a repeated key and at the end of the
 *    initial population.
 * 3. ReplacedAll, SyncAll and Bookmark are handed over alone.
 * 4. It has synced once something populated it and the deltas queued by a first replace have been processed, not merely
 *    popped; once synced it stays synced.
 * 5. A pop belongs to the initial list if the queue had not synced when the pop began.
 * 6. Producers are asked to wait while 2000 or more deltas are waiting, until a batch ends.
 * 7. After close, what is left can be popped; then pops say closed. Producers do not wait on a closed queue.
 * 8. There is one consumer: a second pop before the first ended is an error.
 *
 * An object without a name has no key: it is refused with a TypeError and nothing is queued. Objects are transformed
 * before they come here (`ObjectSink`). Upstream: `k8s.io/client-go/tools/cache/the_real_fifo.go`; the name is the
 * older queue's.
 *
 * @example
 * ```ts
 * import { DeltaFifo } from "kubeloop/cache";
 * import { assertEquals } from "@std/assert";
 *
 * const fifo = new DeltaFifo();
 * void fifo.replace([{ metadata: { name: "a" } }], "9");
 * await fifo.pop(([delta], isInInitialList) => assertEquals([delta.type, isInInitialList], ["ReplacedAll", true]));
 * assertEquals(fifo.hasSynced, true);
 * ```
 */
export class DeltaFifo<T extends KubeObject> {
  readonly #waiting = new RingBuffer<Delta<T>>();
  /** Taken off the ring, but it did not fit into the batch. */
  #head: Delta<T> | undefined;
  #populated = false;
  /** Deltas of the initial population that have not been processed. */
  #initialLeft = 0;
  #popping = false;
  #closed = false;
  readonly #synced = new Deferred();
  #arrival: Deferred | undefined;
  #room: Deferred | undefined;

  /** Deltas waiting to be popped. */
  get length(): number {
    return this.#waiting.length + (this.#head ? 1 : 0);
  }

  get hasSynced(): boolean {
    return this.#synced.settled;
  }

  /** Resolves when {@link DeltaFifo.hasSynced} becomes true; never rejects. */
  get whenSynced(): Promise<void> {
    return this.#synced.promise;
  }

  add(object: T): void | Promise<void> {
    return this.#pushObject({ type: "Added", key: keyOf(object), object });
  }

  update(object: T): void | Promise<void> {
    return this.#pushObject({ type: "Updated", key: keyOf(object), object });
  }

  delete(object: T | DeletedFinalStateUnknown<T>): void | Promise<void> {
    return this.#pushObject({ type: "Deleted", key: keyOf(object), object });
  }

  /** Queues the replacement of everything by `objects`, as of `resourceVersion`. */
  replace(objects: readonly T[], resourceVersion: string, options: ReplaceOptions<T> = {}): void | Promise<void> {
    const room = this.#push({ type: "ReplacedAll", objects, resourceVersion, ...options });
    if (!this.#populated) {
      this.#populated = true;
      this.#initialLeft = this.length;
    }
    return room;
  }

  /** Queues a replay of everything stored. */
  resync(): void | Promise<void> {
    return this.#push({ type: "SyncAll" });
  }

  bookmark(resourceVersion: string): void | Promise<void> {
    return this.#push({ type: "Bookmark", resourceVersion });
  }

  /** No more deltas are expected. */
  close(): void {
    this.#closed = true;
    this.#arrival?.resolve();
    this.#room?.resolve();
  }

  /**
   * Waits for deltas and hands a batch to `consumer`.
   *
   * @returns `false` if the queue is closed and empty, in which case `consumer` was not called.
   * @throws What `consumer` throws; its batch counts as processed.
   */
  async pop(consumer: DeltaConsumer<T>): Promise<boolean> {
    if (this.#popping) {
      throw new Error("Cannot pop from a DeltaFifo: another pop has not ended, and there is one consumer");
    }
    this.#popping = true;
    try {
      if (this.length === 0 && !await this.#arrived()) return false;
      const isInInitialList = !this.hasSynced;
      const batch = this.#takeBatch();
      try {
        const processed = consumer(batch, isInInitialList);
        if (processed) await processed;
      } finally {
        this.#ended(batch.length);
      }
      return true;
    } finally {
      this.#popping = false;
    }
  }

  #pushObject(delta: ObjectDelta<T>): void | Promise<void> {
    this.#populated = true;
    if (this.#initialLeft === 0) this.#synced.resolve();
    return this.#push(delta);
  }

  #push(delta: Delta<T>): void | Promise<void> {
    this.#waiting.push(delta);
    this.#arrival?.resolve();
    if (this.length < MAX_WAITING || this.#closed) return;
    this.#room ??= new Deferred();
    return this.#room.promise;
  }

  async #arrived(): Promise<boolean> {
    while (this.length === 0) {
      if (this.#closed) return false;
      this.#arrival = new Deferred();
      await this.#arrival.promise;
      this.#arrival = undefined;
    }
    return true;
  }

  #takeBatch(): readonly Delta<T>[] {
    const first = this.#take()!;
    if (!isObjectDelta(first)) return [first];
    const batch: Delta<T>[] = [first];
    const limit = this.#initialLeft > 0 ? Math.min(MAX_BATCH, this.#initialLeft) : MAX_BATCH;
    if (this.length === 0 || limit === 1) return batch;
    const keys = new Set([first.key]);
    while (batch.length < limit) {
      const next = this.#take();
      if (!next) break;
      if (!isObjectDelta(next) || keys.has(next.key)) {
        this.#head = next;
        break;
      }
      keys.add(next.key);
      batch.push(next);
    }
    return batch;
  }

  #take(): Delta<T> | undefined {
    const head = this.#head;
    if (!head) return this.#waiting.shift();
    this.#head = undefined;
    return head;
  }

  #ended(count: number): void {
    this.#initialLeft = Math.max(0, this.#initialLeft - count);
    if (this.#populated && this.#initialLeft === 0) this.#synced.resolve();
    if (this.length >= MAX_WAITING) return;
    this.#room?.resolve();
    this.#room = undefined;
  }
}

function keyOf(object: KubeObject | DeletedFinalStateUnknown<unknown>): string {
  if (object instanceof DeletedFinalStateUnknown || object.metadata?.name) return deletedKey(object);
  throw new TypeError(`Cannot queue a change of ${object.kind ?? "an object"}: it has no metadata.name`);
}
