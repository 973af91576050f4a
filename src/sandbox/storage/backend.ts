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

/**
 * Where objects are kept. Everything is synchronous, so that a read, a decision and a write are one step that nobody can
 * interrupt.
 *
 * Contract (each backend runs `tests/unit/sandbox_backend_conformance.ts`):
 * 1. `get` returns the object of the last `write` to that collection and key, or `undefined` after it was removed.
 * 2. `scan` yields the entries at or after `from` whose key starts with `prefix`, in ascending order of key, as they were when it
 *    was called.
 * 3. `revision` is that of the last write, and 1 when there was none.
 * 4. Collections do not see each other's keys.
 */
export interface Backend {
  readonly revision: number;
  get(collection: string, key: string): Entry | undefined;
  scan(collection: string, range: { readonly prefix: string; readonly from: string }): Iterable<Entry>;
  /** How many entries have a key that starts with `prefix` and is at or after `from`. */
  count(collection: string, range: { readonly prefix: string; readonly from: string }): number;
  /** Stores `object`, or removes the entry where it is `undefined`, and makes `revision` the current one. */
  write(collection: string, key: string, object: StoredObject | undefined, revision: number): void;
  /** Collections that hold at least one object. */
  collections(): string[];
  close(): void;
}
