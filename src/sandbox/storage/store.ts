import type { Clock } from "../../base/mod.ts";
import type { Backend, Entry, Facts, StoredObject } from "./backend.ts";
import { forgetText, settle } from "./json_text.ts";
import { CollectionHistory, type HistoryLimits, type StoreEvent } from "./history.ts";

/** Like kube-apiserver's watch caches, most of which have a capacity of up to 102400 and keep 75 seconds. */
const HISTORY: HistoryLimits = { events: 10_000, forMs: 75_000, mostEvents: 100_000 };

/** Options of {@link Store}. */
export interface StoreOptions {
  readonly backend: Backend;
  readonly clock: Clock;
  /** How many writes to a collection are kept; by default 10,000, or more if they are not 75 seconds old. */
  readonly historyLimit?: number;
}

/** The part of a collection to list. */
export interface ListRange {
  /** Only keys with this prefix, such as `namespace/`. */
  readonly prefix?: string;
  /** Only keys at or after it. */
  readonly from?: string;
  /** The state at this revision instead of the present one. */
  readonly at?: number;
  /** The caller needs no more than this, though a past state may return more. */
  readonly atMost?: number;
}

/**
 * Collections of objects with a common revision, a bounded history and listeners.
 *
 * Contract:
 * 1. Every write takes the next revision and stamps it on the object as `metadata.resourceVersion`, in decimal.
 * 2. Listeners hear of every write to their collection, in the order of revisions, before the write returns.
 * 3. `list` with `at` shows exactly what the collection held at that revision, or `undefined` when the history is too
 *    short.
 * 4. Stored objects are frozen and never copied; the same object serves every reader.
 */
export class Store {
  readonly #backend: Backend;
  readonly #clock: Clock;
  readonly #limits: HistoryLimits;
  readonly #histories = new Map<string, CollectionHistory>();
  readonly #listeners = new Map<string, Set<(event: StoreEvent) => void>>();
  readonly #everyListener = new Set<(event: StoreEvent) => void>();
  /** Where histories begin: a persistent backend holds earlier writes, which cannot be replayed. */
  #forgottenRevision: number;

  constructor({ backend, clock, historyLimit }: StoreOptions) {
    this.#backend = backend;
    this.#clock = clock;
    this.#limits = historyLimit === undefined ? HISTORY : { events: historyLimit, forMs: 0, mostEvents: historyLimit };
    // A new backend is at revision 1, and nothing was ever written to it.
    this.#forgottenRevision = backend.revision === 1 ? 0 : backend.revision;
  }

  /** The revision of the last write. */
  get revision(): number {
    return this.#backend.revision;
  }

  /** The server's own texts, kept beside the objects. */
  get facts(): Facts {
    return this.#backend;
  }

  get(collection: string, key: string): StoredObject | undefined {
    return this.#backend.get(collection, key)?.object;
  }

  /** The oldest revision from which a watch of `collection` can start. */
  oldestRevision(collection: string): number {
    return this.#history(collection).oldest;
  }

  /** Entries in key order; `undefined` if `range.at` is no longer in the history. */
  list(collection: string, { prefix = "", from = "", at, atMost }: ListRange = {}): Iterable<Entry> | undefined {
    const later = at === undefined || at >= this.revision ? [] : this.#history(collection).since(at);
    if (later === undefined) return undefined;
    if (later.length === 0) return this.#backend.scan(collection, { prefix, from, atMost });
    const present = this.#backend.scan(collection, { prefix, from });
    // Undoes later changes: the first event of a key knows what the key held before.
    const before = new Map<string, StoredObject | undefined>();
    for (const event of later) {
      if (event.key < from || !event.key.startsWith(prefix) || before.has(event.key)) continue;
      before.set(event.key, event.previous);
    }
    return rewind(present, before);
  }

  /** The number of entries that `list` would return. */
  count(collection: string, { prefix = "", from = "", at }: Omit<ListRange, "atMost"> = {}): number {
    if (at === undefined || at >= this.revision) return this.#backend.count(collection, { prefix, from });
    let count = 0;
    for (const _entry of this.list(collection, { prefix, from, at }) ?? []) count++;
    return count;
  }

  /**
   * Stores `object`, which must be new and belongs to the store from now on, and returns it with its revision, frozen.
   */
  put(collection: string, key: string, object: StoredObject): StoredObject {
    const previous = this.get(collection, key);
    const revision = this.revision + 1;
    object.metadata.resourceVersion = String(revision);
    settle(object);
    this.#backend.write(collection, key, object, revision);
    this.#publish({ type: previous ? "MODIFIED" : "ADDED", collection, key, revision, object, previous });
    return object;
  }

  /** Removes the object; watches see `last`, by default what was stored. */
  remove(collection: string, key: string, last?: StoredObject): StoredObject | undefined {
    const previous = this.get(collection, key);
    if (previous === undefined) return undefined;
    const revision = this.revision + 1;
    const final = last ?? previous;
    const object = { ...final, metadata: { ...final.metadata, resourceVersion: String(revision) } };
    settle(object);
    this.#backend.write(collection, key, undefined, revision);
    this.#publish({ type: "DELETED", collection, key, revision, object, previous });
    return object;
  }

  /** Events after `revision`, or `undefined` if some of them are forgotten. */
  since(collection: string, revision: number): readonly StoreEvent[] | undefined {
    return this.#history(collection).since(revision);
  }

  /** Calls `listener` for each write to `collection` (all if `undefined`) until the returned function is called. */
  subscribe(collection: string | undefined, listener: (event: StoreEvent) => void): () => void {
    if (collection === undefined) {
      this.#everyListener.add(listener);
      return () => void this.#everyListener.delete(listener);
    }
    const listeners = this.#listeners.get(collection) ?? new Set();
    this.#listeners.set(collection, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** Forgets the history, so that older watches and continue tokens expire. */
  compact(): void {
    this.#forgottenRevision = this.revision;
    for (const history of this.#histories.values()) history.forget(this.revision);
  }

  collections(): string[] {
    return this.#backend.collections();
  }

  close(): void {
    this.#listeners.clear();
    this.#everyListener.clear();
    this.#backend.close();
  }

  #publish(event: StoreEvent): void {
    this.#history(event.collection).add(event, this.#clock.monotonicMs());
    for (const listener of [...this.#listeners.get(event.collection) ?? []]) listener(event);
    for (const listener of [...this.#everyListener]) listener(event);
    if (event.previous) forgetText(event.previous);
    if (event.type === "DELETED") forgetText(event.object);
  }

  #history(collection: string): CollectionHistory {
    let history = this.#histories.get(collection);
    if (!history) {
      history = new CollectionHistory({ limits: this.#limits, oldest: this.#forgottenRevision });
      this.#histories.set(collection, history);
    }
    return history;
  }
}

/** `present` with the keys of `before` set back to what they held; both are sorted by key. */
function* rewind(present: Iterable<Entry>, before: ReadonlyMap<string, StoredObject | undefined>): Iterable<Entry> {
  const restored = [...before].filter(([, object]) => object !== undefined).sort(([a], [b]) => a < b ? -1 : 1);
  let next = 0;
  const entryOf = ([key, object]: [string, StoredObject | undefined]): Entry => ({
    key,
    object: object!,
    revision: Number(object!.metadata.resourceVersion),
  });
  for (const entry of present) {
    while (next < restored.length && restored[next][0] < entry.key) yield entryOf(restored[next++]);
    if (next < restored.length && restored[next][0] === entry.key) yield entryOf(restored[next++]);
    else if (!before.has(entry.key)) yield entry;
  }
  while (next < restored.length) yield entryOf(restored[next++]);
}
