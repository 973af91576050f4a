import type { SyncRecord } from "../../workqueue/mod.ts";

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
