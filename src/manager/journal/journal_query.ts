import type { CauseNote, ObjectChange } from "../../workqueue/mod.ts";
import { isSyncOf, isWriteTo, type ObjectName, type Sync } from "./sync.ts";
import type { SyncJournal } from "./sync_journal.ts";

/** What a journal is asked for; plain data, to be sent between threads. */
export interface JournalQuery {
  /** Everything about this object: syncs of it, syncs that wrote it, and syncs that it led to. */
  readonly object?: ObjectName;
  /** The syncs that made these changes. */
  readonly changes?: readonly ObjectChange[];
  /** The failed syncs that were followed by these. */
  readonly retries?: readonly Retry[];
}

/** A sync that tries again what has failed before. */
export interface Retry {
  readonly controller: string;
  readonly key: string;
  /** When it started, by the wall clock. */
  readonly startedMs: number;
}

/** What a journal knows; plain data, to be sent between threads. */
export interface JournalAnswer {
  readonly syncs: readonly Sync[];
  /** Syncs that it has ever recorded, and how many of them it has forgotten. */
  readonly recorded: number;
  readonly forgotten: number;
}

/** Syncs that are given of one object. */
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

/** Those that wrote what some change says; of deletions, which leave no version, all that come into question. */
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

/** Whether `sync` is a failure that `retry` may have been about. */
export function precedes(sync: Sync, { controller, key, startedMs }: Retry): boolean {
  return sync.outcome === "retry" && sync.controller === controller && sync.key === key && sync.startedMs < startedMs;
}

/** The newest of `syncs`, oldest first. */
export function newest(syncs: readonly Sync[], count: number): Sync[] {
  return syncs.toSorted((a, b) => a.startedMs - b.startedMs || a.number - b.number).slice(-count);
}

/** Which change a cause was; nothing for a timer, a retry, and the like. A replay of the cache changed nothing. */
export function changeBehind({ refersTo }: CauseNote): ObjectChange | undefined {
  return typeof refersTo === "object" && refersTo.change !== "resynced" ? refersTo : undefined;
}
