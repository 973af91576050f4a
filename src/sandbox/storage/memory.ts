import type { Backend, Entry, StoredObject } from "./backend.ts";

interface Collection {
  readonly entries: Map<string, Entry>;
  /** Ascending. */
  readonly keys: string[];
}

/** A {@link Backend} in memory: objects are shared, not copied. */
export class MemoryBackend implements Backend {
  #revision = 1;
  readonly #collections = new Map<string, Collection>();

  get revision(): number {
    return this.#revision;
  }

  get(collection: string, key: string): Entry | undefined {
    return this.#collections.get(collection)?.entries.get(key);
  }

  scan(collection: string, range: { readonly prefix: string; readonly from: string }): Iterable<Entry> {
    const found = this.#collections.get(collection);
    if (!found) return [];
    const [start, end] = bounds(found.keys, range);
    return found.keys.slice(start, end).map((key) => found.entries.get(key)!);
  }

  count(collection: string, range: { readonly prefix: string; readonly from: string }): number {
    const found = this.#collections.get(collection);
    if (!found) return 0;
    const [start, end] = bounds(found.keys, range);
    return end - start;
  }

  write(collection: string, key: string, object: StoredObject | undefined, revision: number): void {
    let found = this.#collections.get(collection);
    if (!found) this.#collections.set(collection, found = { entries: new Map(), keys: [] });
    const known = found.entries.has(key);
    if (object !== undefined) {
      found.entries.set(key, { key, revision, object });
      if (!known) found.keys.splice(lowerBound(found.keys, key), 0, key);
    } else if (known) {
      found.entries.delete(key);
      found.keys.splice(lowerBound(found.keys, key), 1);
    }
    this.#revision = revision;
  }

  collections(): string[] {
    return [...this.#collections].filter(([, { keys }]) => keys.length > 0).map(([name]) => name);
  }

  close(): void {
    this.#collections.clear();
  }
}

/** Index of the first key at or after `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function bounds(
  keys: readonly string[],
  { prefix, from }: { readonly prefix: string; readonly from: string },
): [number, number] {
  const start = lowerBound(keys, from > prefix ? from : prefix);
  const end = prefix === "" ? keys.length : lowerBound(keys, prefix + "\uffff");
  return [start, Math.max(start, end)];
}
