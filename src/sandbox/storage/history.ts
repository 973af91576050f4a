import type { StoredObject } from "./backend.ts";

/** One write, as watches see it. */
export interface StoreEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly collection: string;
  readonly key: string;
  readonly revision: number;
  /** The object after the write; for DELETED its last state, stamped with the revision of the deletion. */
  readonly object: StoredObject;
  /** The object before the write; absent for ADDED. */
  readonly previous?: StoredObject;
}

/**
 * The last writes to one collection.
 *
 * Contract:
 * 1. `since(n)` returns every event after revision `n`, in order, or `undefined` when some of them are forgotten.
 * 2. At most `limit` events are kept; `oldest` is the smallest revision that `since` still answers.
 */
export class History {
  #events: StoreEvent[] = [];
  #start = 0;
  #oldest: number;
  readonly #limit: number;

  constructor({ limit, oldest }: { readonly limit: number; readonly oldest: number }) {
    this.#limit = limit;
    this.#oldest = oldest;
  }

  get oldest(): number {
    return this.#oldest;
  }

  add(event: StoreEvent): void {
    this.#events.push(event);
    if (this.#events.length - this.#start <= this.#limit) return;
    this.#oldest = this.#events[this.#start++].revision;
    // Forgotten events are cut off in bulk: moving the rest down for each of them would make a write linear.
    if (this.#start < this.#limit) return;
    this.#events = this.#events.slice(this.#start);
    this.#start = 0;
  }

  since(revision: number): readonly StoreEvent[] | undefined {
    if (revision < this.#oldest) return undefined;
    let low = this.#start;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#events[middle].revision <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#events.slice(low);
  }

  /** Forgets everything up to and including `revision`. */
  forget(revision: number): void {
    this.#events = [...(this.since(Math.max(revision, this.#oldest)) ?? [])];
    this.#start = 0;
    this.#oldest = Math.max(this.#oldest, revision);
  }
}
