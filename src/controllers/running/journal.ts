import { activities } from "../../client/mod.ts";
import type { World } from "../../base/mod.ts";
import { type Cause, Causes, SyncNotes, type SyncRecord } from "../../workqueue/mod.ts";

/** One sync of one controller. */
export interface JournalEntry {
  /** As `--controllers` names it. */
  readonly controller: string;
  /** The kind of the object whose key it is; absent where keys are something else. */
  readonly kind?: string;
  /** What was worked on. */
  readonly key: string;
  readonly record: SyncRecord;
}

/** Where controllers write down what they did and why. */
export interface Journal {
  record(entry: JournalEntry): void;
}

/** A piece of work that no queue handed out. */
export interface LooseWork {
  /** As `--controllers` names it. */
  readonly controller: string;
  readonly kind: string;
  /** Of the object that it is about. */
  readonly key: string;
  /** Why it is done. */
  readonly cause: Cause;
}

/**
 * Does a piece of work that no queue handed out, and tells the journal of it as of a sync. What fails is given up: whoever does
 * such work looks at everything again some time.
 *
 * @throws What `fn` throws, after it was written down.
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
