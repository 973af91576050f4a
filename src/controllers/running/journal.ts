import { activities } from "../../client/mod.ts";
import type { World } from "../../base/mod.ts";
import { type Cause, Causes, SyncNotes, type SyncRecord } from "../../workqueue/mod.ts";

/** One sync of one controller. */
export interface JournalEntry {
  /** Its name in `--controllers`. */
  readonly controller: string;
  /** The kind of the object that the key names; absent if keys name something else. */
  readonly kind?: string;
  /** The key that was synced. */
  readonly key: string;
  readonly record: SyncRecord;
}

/** A record of what controllers did and why. */
export interface Journal {
  record(entry: JournalEntry): void;
}

/** Work that did not come from a queue. */
export interface LooseWork {
  /** Its name in `--controllers`. */
  readonly controller: string;
  readonly kind: string;
  /** The object's key. */
  readonly key: string;
  /** The reason for the work. */
  readonly cause: Cause;
}

/**
 * Runs work that did not come from a queue and records it in the journal like a sync. Failures are not retried: the
 * caller's next pass covers them.
 *
 * @throws What `fn` throws, once recorded.
 */
export async function journaled(
  work: LooseWork,
  { world: { clock }, journal }: { readonly world: Pick<World, "clock">; readonly journal: Journal },
  fn: () => Promise<void>,
): Promise<void> {
  const { controller, kind, key, cause } = work;
  const causes = new Causes();
  causes.add(cause);
  const notes = new SyncNotes({ key, causes, waitedMs: 0 }, clock.wallMs());
  const begunMs = clock.monotonicMs();
  const record = (outcome: "done" | "forget", error?: unknown) => {
    notes.end(outcome, { durationMs: clock.monotonicMs() - begunMs, error });
    journal.record({ controller, kind, key, record: notes });
  };
  try {
    await activities.run(notes, fn);
  } catch (error) {
    record("forget", error);
    throw error;
  }
  record("done");
}
