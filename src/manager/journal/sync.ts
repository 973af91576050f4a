import type { WriteNote } from "../../client/mod.ts";
import type { CauseNote, SyncRecord } from "../../workqueue/mod.ts";

/** A sync in the journal: plain data that can be sent between threads. Times in milliseconds. */
export interface Sync extends Omit<SyncRecord, "causes" | "isIdle" | "bytes"> {
  /** Its number in its journal. */
  readonly number: number;
  /** The group of controllers; empty if there is only one thread. */
  readonly group: string;
  readonly controller: string;
  /** The kind of the object that the key names; absent if keys name something else. */
  readonly kind?: string;
  readonly key: string;
  /** Its causes, and the number of further ones that were not kept. */
  readonly causes: readonly CauseNote[];
  readonly droppedCauses: number;
}

/** Identifies a sync within a process. */
export function idOf({ group, number }: Sync): string {
  return group === "" ? String(number) : `${group}/${number}`;
}

/** Whether a sync found nothing to do. */
export function isIdle({ writes, error }: Pick<Sync, "writes" | "error">): boolean {
  return writes.length === 0 && error === undefined;
}

/** An object's name as used in causes and by people. */
export interface ObjectName {
  /** In lower case. */
  readonly kind: string;
  /** `namespace/name`, or the name of a cluster-scoped object. */
  readonly key: string;
}

/** Whether `write` affected `object`; a write to a whole collection counts. */
export function isWriteTo(write: WriteNote, { kind, key }: ObjectName): boolean {
  if (write.kind.toLowerCase() !== kind) return false;
  if (write.verb !== "deletecollection") return write.key === key;
  return write.key === "*" || key.startsWith(write.key.slice(0, -1));
}

/** Whether `sync` was of `object`. */
export function isSyncOf(sync: Sync, { kind, key }: ObjectName): boolean {
  return sync.key === key && sync.kind?.toLowerCase() === kind;
}
