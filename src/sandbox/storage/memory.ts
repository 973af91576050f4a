import type { Backend, Entry, KeyRange, StoredObject } from "./backend.ts";
import { SortedKeys } from "./sorted_keys.ts";

interface Collection {
  readonly entries: Map<string, Entry>;
  readonly keys: SortedKeys;
}

/** A {@link Backend} in memory: objects are shared, not copied. */
export class MemoryBackend implements Backend {
  #revision = 1;
  readonly #collections = new Map<string, Collection>();
  readonly #facts = new Map<string, string>();

  get revision(): number {
    return this.#revision;
  }

  get(collection: string, key: string): Entry | undefined {
    return this.#collections.get(collection)?.entries.get(key);
  }

  scan(collection: string, range: KeyRange): Iterable<Entry> {
    const found = this.#collections.get(collection);
    if (!found) return [];
    return found.keys.between(startOf(range), endOf(range), range.atMost).map((key) => found.entries.get(key)!);
  }

  count(collection: string, range: Omit<KeyRange, "atMost">): number {
    const found = this.#collections.get(collection);
    if (!found) return 0;
    const end = endOf(range);
    const before = end === undefined ? found.keys.size : found.keys.before(end);
    return Math.max(0, before - found.keys.before(startOf(range)));
  }

  write(collection: string, key: string, object: StoredObject | undefined, revision: number): void {
    let found = this.#collections.get(collection);
    if (!found) this.#collections.set(collection, found = { entries: new Map(), keys: new SortedKeys() });
    const { entries, keys } = found;
    if (object === undefined) {
      if (entries.delete(key)) keys.delete(key);
    } else {
      if (!entries.has(key)) keys.add(key);
      entries.set(key, { key, revision, object });
    }
    this.#revision = revision;
  }

  /** Continues from `revision`, that of a write before this process started. */
  resume(revision: number): void {
    this.#revision = revision;
  }

  collections(): string[] {
    return [...this.#collections].filter(([, { keys }]) => keys.size > 0).map(([name]) => name);
  }

  readFact(name: string): string | undefined {
    return this.#facts.get(name);
  }

  writeFact(name: string, text: string): void {
    this.#facts.set(name, text);
  }

  close(): void {
    this.#collections.clear();
  }
}

function startOf({ prefix, from }: KeyRange): string {
  return from > prefix ? from : prefix;
}

/** The first text after all texts with the prefix; `undefined` if there is none. */
function endOf({ prefix }: KeyRange): string | undefined {
  return prefix === "" ? undefined : `${prefix}\uffff`;
}
