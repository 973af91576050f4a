import type { StoredObject } from "./backend.ts";

/** A write, as watches see it. */
export interface StoreEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly collection: string;
  readonly key: string;
  readonly revision: number;
  /** The object after the write; for DELETED its last state, with the revision of the deletion. */
  readonly object: StoredObject;
  /** The object before the write; absent for ADDED. */
  readonly previous?: StoredObject;
}

/** How many past writes are kept. */
export interface HistoryLimits {
  /** The number of writes that are kept whatever their age. */
  readonly events: number;
  /** More are kept if they are younger than this, */
  readonly forMs: number;
  /** but never more than this many in total. */
  readonly mostEvents: number;
}

/** How many dropped events accumulate before the array is shortened. */
const DROPPED_EVENTS = 1000;

/**
 * The most recent writes to a collection.
 *
 * Contract:
 * 1. `since(n)` returns every event after revision `n`, in order, or `undefined` if some of them are forgotten.
 * 2. The last `events` are kept, and also those of the last `forMs`, up to `mostEvents`; `oldest` is the smallest
 *    revision that `since` still answers.
 */
export class CollectionHistory {
  #events: StoreEvent[] = [];
  #timesMs: number[] = [];
  #start = 0;
  #oldest: number;
  readonly #limits: HistoryLimits;

  constructor({ limits, oldest }: { readonly limits: HistoryLimits; readonly oldest: number }) {
    this.#limits = limits;
    this.#oldest = oldest;
  }

  get oldest(): number {
    return this.#oldest;
  }

  add(event: StoreEvent, nowMs: number): void {
    this.#events.push(event);
    this.#timesMs.push(nowMs);
    const { events, forMs, mostEvents } = this.#limits;
    for (let count = this.#events.length - this.#start; count > events; count--) {
      if (count <= mostEvents && this.#timesMs[this.#start] + forMs > nowMs) break;
      this.#oldest = this.#events[this.#start++].revision;
    }
    // Dropped events are removed in bulk; moving the rest for each of them would make a write linear.
    if (this.#start > DROPPED_EVENTS) this.#cut();
  }

  since(revision: number): readonly StoreEvent[] | undefined {
    return revision < this.#oldest ? undefined : this.#events.slice(this.#after(revision));
  }

  /** Forgets all events up to and including `revision`. */
  forget(revision: number): void {
    if (revision <= this.#oldest) return;
    this.#start = this.#after(revision);
    this.#oldest = revision;
    this.#cut();
  }

  /** The index of the first event after `revision`. */
  #after(revision: number): number {
    let low = this.#start;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#events[middle].revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #cut(): void {
    this.#events = this.#events.slice(this.#start);
    this.#timesMs = this.#timesMs.slice(this.#start);
    this.#start = 0;
  }
}
