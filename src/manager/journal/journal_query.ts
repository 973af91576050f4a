import type { CauseNote, ObjectChange } from "../../workqueue/mod.ts";
import { isSyncOf, isWriteTo, type ObjectName, type Sync } from "./sync.ts";
import type { SyncJournal } from "./sync_journal.ts";

/** A query to a journal; plain data that can be sent between threads. */
export interface JournalQuery {
  /** Selects everything about this object: syncs of it, syncs that wrote it, and syncs that it caused. */
  readonly object?: ObjectName;
  /** Selects the syncs that made these changes. */
  readonly changes?: readonly ObjectChange[];
  /** Selects the failed syncs that these retried. */
  readonly retries?: readonly Retry[];
}

/** A retry of a failed sync. */
export interface Retry {
  readonly controller: string;
  readonly key: string;
  /** When it started, by the wall clock. */
  readonly startedMs: number;
}

/** A journal's answer; plain data that can be sent between threads. */
export interface JournalAnswer {
  readonly syncs: readonly Sync[];
  /** How many syncs it has ever recorded, and how many of them it has forgotten. */
  readonly recorded: number;
  readonly forgotten: number;
}

/** How many syncs of one object are returned. */
const MOST_OF_OBJECT = 40;

/** Answers for one journal. */
export function answerFrom(journal: SyncJournal, query: JournalQuery): JournalAnswer {
  const { length, forgotten } = journal;
  const { object, changes = [], retries = [] } = query;
  const found = new Set<Sync>();
  if (object) { for (const sync of newest(related(journal, object), MOST_OF_OBJECT)) found.add(sync); }
  for (const sync of changes.length > 0 ? originsOf(journal, changes) : []) found.add(sync);
  for (const retry of retries) {
    const failed = latestFailure(journal, retry);
    if (failed) found.add(failed);
  }
  return { syncs: [...found], recorded: length + forgotten, forgotten };
}

function related(journal: SyncJournal, object: ObjectName): Sync[] {
  return [...journal.syncs()].filter((sync) =>
    isSyncOf(sync, object) || sync.writes.some((write) => isWriteTo(write, object)) || isCausedBy(sync, object)
  );
}

/** Whether one of the causes of `sync` is a change of `object`. */
export function isCausedBy({ causes }: Sync, { kind, key }: ObjectName): boolean {
  return causes.some(({ refersTo }) => typeof refersTo === "object" && refersTo.kind === kind && refersTo.key === key);
}

/** The syncs that made these changes; for deletions, which leave no version, all candidates. */
function* originsOf(journal: SyncJournal, changes: readonly ObjectChange[]): Iterable<Sync> {
  for (const sync of journal.syncs()) {
    if (sync.writes.length > 0 && changes.some((change) => writeBehind(sync, change))) yield sync;
  }
}

/** The write of `sync` that made `change`. */
export function writeBehind(sync: Sync, change: ObjectChange): Sync["writes"][number] | undefined {
  return sync.writes.findLast((write) =>
    write.error === undefined && isWriteTo(write, change) &&
    (change.resourceVersion !== undefined && write.resourceVersion === change.resourceVersion ||
      change.change === "deleted" && write.verb.startsWith("delete"))
  );
}

function latestFailure(journal: SyncJournal, retry: Retry): Sync | undefined {
  return newest([...journal.syncs()].filter((sync) => precedes(sync, retry)), 1)[0];
}

/** Whether `sync` is a failure that `retry` may have retried. */
export function precedes(sync: Sync, { controller, key, startedMs }: Retry): boolean {
  return sync.outcome === "retry" && sync.controller === controller && sync.key === key && sync.startedMs < startedMs;
}

/** The newest of `syncs`, oldest first. */
export function newest(syncs: readonly Sync[], count: number): Sync[] {
  return syncs.toSorted((a, b) => a.startedMs - b.startedMs || a.number - b.number).slice(-count);
}

/** The change behind a cause; `undefined` for timers, retries and so on. A replay of the cache is not a change. */
export function changeBehind({ refersTo }: CauseNote): ObjectChange | undefined {
  return typeof refersTo === "object" && refersTo.change !== "resynced" ? refersTo : undefined;
}
