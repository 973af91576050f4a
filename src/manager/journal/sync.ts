import type { WriteNote } from "../../client/mod.ts";
import type { CauseNote, SyncRecord } from "../../workqueue/mod.ts";

/** A sync as the journal keeps it: plain data, to be sent between threads. Times in milliseconds. */
export interface Sync extends Omit<SyncRecord, "causes" | "isIdle" | "bytes"> {
  /** Which one of its journal's it is. */
  readonly number: number;
  /** The group of controllers; empty where there is but one thread. */
  readonly group: string;
  readonly controller: string;
  /** The kind of the object whose key it is; absent where keys are something else. */
  readonly kind?: string;
  readonly key: string;
  /** Why it was done, and further causes that were not kept. */
  readonly causes: readonly CauseNote[];
  readonly droppedCauses: number;
}

/** Tells a sync from all others of a process. */
export function idOf({ group, number }: Sync): string {
  return group === "" ? String(number) : `${group}/${number}`;
}

/** Whether a sync found all as it should be. */
export function isIdle({ writes, error }: Pick<Sync, "writes" | "error">): boolean {
  return writes.length === 0 && error === undefined;
}

/** An object, as people and causes name it. */
export interface ObjectName {
  /** In lower case. */
  readonly kind: string;
  /** `namespace/name`, or the name of a cluster-scoped object. */
  readonly key: string;
}

/** Whether `write` was to `object`; one to a whole collection counts. */
export function isWriteTo(write: WriteNote, { kind, key }: ObjectName): boolean {
  if (write.kind.toLowerCase() !== kind) return false;
  if (write.verb !== "deletecollection") return write.key === key;
  return write.key === "*" || key.startsWith(write.key.slice(0, -1));
}

/** Whether `sync` was of `object`. */
export function isSyncOf(sync: Sync, { kind, key }: ObjectName): boolean {
  return sync.key === key && sync.kind?.toLowerCase() === kind;
}
