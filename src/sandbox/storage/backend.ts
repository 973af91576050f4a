import type { KubeObject, ObjectMeta } from "../../api/mod.ts";

/** An object as it is stored: without apiVersion and kind, which the collection implies. */
export type StoredObject = KubeObject & { metadata: ObjectMeta } & { [field: string]: unknown };

/** One object in a collection. */
export interface Entry {
  /** `namespace/name`, or `name` for cluster-scoped kinds. */
  readonly key: string;
  /** The revision of its last write. */
  readonly revision: number;
  readonly object: StoredObject;
}

/** Which entries of a collection are meant. */
export interface KeyRange {
  readonly prefix: string;
  readonly from: string;
  readonly atMost?: number;
}

/** Small texts of the server's own, such as a signing key, that live as long as the objects do. */
export interface Facts {
  /** The text of the last `writeFact` with that name, or `undefined` if there was none. */
  readFact(name: string): string | undefined;
  writeFact(name: string, text: string): void;
}

/**
 * Where objects are kept. Everything is synchronous, so that a read, a decision and a write are one step that nobody can
 * interrupt.
 *
 * Contract (each backend runs `tests/unit/sandbox/storage/backend_conformance.ts`):
 * 1. `get` returns the object of the last `write` to that collection and key, or `undefined` after it was removed.
 * 2. `scan` yields the entries at or after `from` whose key starts with `prefix`, in ascending order of key, as they were when it
 *    was called; with `atMost`, the first so many of them.
 * 3. `revision` is that of the last write, and 1 when there was none.
 * 4. Collections do not see each other's keys.
 * 5. Facts are no objects: they belong to no collection and take no revision.
 */
export interface Backend extends Facts {
  readonly revision: number;
  get(collection: string, key: string): Entry | undefined;
  scan(collection: string, range: KeyRange): Iterable<Entry>;
  /** How many entries have a key that starts with `prefix` and is at or after `from`. */
  count(collection: string, range: Omit<KeyRange, "atMost">): number;
  /** Stores `object`, or removes the entry where it is `undefined`, and makes `revision` the current one. */
  write(collection: string, key: string, object: StoredObject | undefined, revision: number): void;
  /** Collections that hold at least one object. */
  collections(): string[];
  /** Lets go of everything; once more does nothing. */
  close(): void;
}
