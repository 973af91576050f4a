import { type IndexErrorHandler, type Indexers, IndexTable } from "./index_table.ts";

/**
 * Objects by key with their indexes: what an {@link Indexer} swaps as a whole. A re-list fills one in private while its
 * objects arrive, so that swapping it in is a single constant-time step.
 */
export class StoreContent<T> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, IndexTable<T>>();
  readonly #onIndexError: IndexErrorHandler;

  constructor(indexers: Indexers<T>, onIndexError: IndexErrorHandler) {
    this.#onIndexError = onIndexError;
    this.addIndexers(indexers);
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  has(key: string): boolean {
    return this.#objects.has(key);
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  entries(): IterableIterator<[string, T]> {
    return this.#objects.entries();
  }

  index(name: string): IndexTable<T> | undefined {
    return this.#indexes.get(name);
  }

  /** Stores `object` and returns the object that it replaced. */
  put(key: string, object: T): T | undefined {
    const before = this.#objects.get(key);
    for (const index of this.#indexes.values()) index.update(key, before, object);
    this.#objects.set(key, object);
    return before;
  }

  /** Removes and returns the object. */
  remove(key: string): T | undefined {
    const before = this.#objects.get(key);
    if (before === undefined) return undefined;
    for (const index of this.#indexes.values()) index.update(key, before, undefined);
    this.#objects.delete(key);
    return before;
  }

  /** Adds the indexes it does not have yet, filled from the objects present. */
  addIndexers(indexers: Indexers<T>): void {
    for (const [name, valuesOf] of Object.entries(indexers)) {
      if (this.#indexes.has(name)) continue;
      const index = new IndexTable(name, valuesOf, this.#onIndexError);
      for (const [key, object] of this.#objects) index.update(key, undefined, object);
      this.#indexes.set(name, index);
    }
  }
}
