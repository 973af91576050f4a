import type { KubeObject, ObjectMeta } from "../../api/mod.ts";

/** An object in its stored form, without apiVersion and kind, which follow from the collection. */
export type StoredObject = KubeObject & { metadata: ObjectMeta } & { [field: string]: unknown };

/** An object in a collection. */
export interface Entry {
  /** `namespace/name`, or `name` for cluster-scoped kinds. */
  readonly key: string;
  /** The revision of its last write. */
  readonly revision: number;
  readonly object: StoredObject;
}

/** Selects entries of a collection. */
export interface KeyRange {
  readonly prefix: string;
  readonly from: string;
  readonly atMost?: number;
}

/** Short texts of the server itself, such as a signing key, that are kept as long as the objects. */
export interface Facts {
  /** The text last written with that name, or `undefined`. */
  readFact(name: string): string | undefined;
  writeFact(name: string, text: string): void;
}

/**
 * Stores objects. Everything is synchronous, so that a read, a decision and a write are a single uninterrupted step.
 *
 * Contract (each backend runs `tests/unit/sandbox/storage/backend_conformance.ts`):
 * 1. `get` returns the object of the last `write` to that collection and key, or `undefined` after it was removed.
 * 2. `scan` yields the entries at or after `from` whose key starts with `prefix`, in ascending order of key, as they
 *    were when it was called; with `atMost`, only the first ones.
 * 3. `revision` is that of the last write, and 1 when there was none.
 * 4. Collections do not see each other's keys.
 * 5. Facts are not objects: they belong to no collection and take no revision.
 */
export interface Backend extends Facts {
  readonly revision: number;
  get(collection: string, key: string): Entry | undefined;
  scan(collection: string, range: KeyRange): Iterable<Entry>;
  /** The number of entries whose key starts with `prefix` and is at or after `from`. */
  count(collection: string, range: Omit<KeyRange, "atMost">): number;
  /** Stores `object`, or removes the entry if it is `undefined`, and makes `revision` the current one. */
  write(collection: string, key: string, object: StoredObject | undefined, revision: number): void;
  /** Collections that hold at least one object. */
  collections(): string[];
  /** Releases all resources; may be called more than once. */
  close(): void;
}
