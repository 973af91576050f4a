import { type MetricsRegistry, RingBuffer } from "../../base/mod.ts";
import type { Journal, JournalEntry } from "../../controllers/mod.ts";
import { isIdle, type Sync } from "./sync.ts";

/** How large a journal may get. */
export interface JournalLimits {
  /** Syncs that wrote something or failed. */
  readonly changing: number;
  /** Syncs that found all as it should be. */
  readonly idle: number;
  /** Roughly, for both. */
  readonly bytes: number;
}

/** What a {@link SyncJournal} is made of. */
export interface SyncJournalOptions {
  readonly metrics: MetricsRegistry;
  /** The group of controllers; empty where there is but one thread. */
  readonly group?: string;
  readonly limits?: JournalLimits;
}

/** For one group: hours of a small cluster, minutes of a big one, and less memory than its caches by far. */
const LIMITS: JournalLimits = { changing: 2000, idle: 500, bytes: 8 << 20 };

/** How much of an error's text is kept. */
const ERROR_LENGTH = 500;

/** What objects and arrays take besides their texts, in bytes. */
const SYNC_BYTES = 400;
const NOTE_BYTES = 100;

/**
 * The last syncs of a group of controllers.
 *
 * Contract:
 * 1. There are never more than the limits say; the oldest ones make room for new ones, and are counted.
 * 2. Syncs that found nothing to do make no others go that did something, unless for want of bytes.
 * 3. What is kept is plain data and holds on to nothing else: no error, no object.
 *
 * It is read by `/debug/why`.
 */
export class SyncJournal implements Journal {
  readonly #group: string;
  readonly #limits: JournalLimits;
  readonly #changing = new RingBuffer<Sync>({ initialCapacity: 64 });
  readonly #idle = new RingBuffer<Sync>({ initialCapacity: 64 });
  readonly #lost;
  #count = 0;
  #bytes = 0;

  constructor({ metrics, group = "", limits = LIMITS }: SyncJournalOptions) {
    this.#group = group;
    this.#limits = limits;
    const forgotten = metrics.counter({
      name: "kubeloop_journal_forgotten_syncs_total",
      help: "Number of syncs that left the journal, which is bounded.",
    });
    forgotten.track(() => this.forgotten);
    this.#lost = metrics.counter({
      name: "kubeloop_journal_lost_notes_total",
      help: "Number of causes, reads and writes of syncs that were too many to be kept in the journal.",
      labels: ["what"],
    });
    for (const what of ["cause", "read", "write"]) this.#lost.inc([what], 0);
  }

  /** Syncs that are kept. */
  get length(): number {
    return this.#changing.length + this.#idle.length;
  }

  /** Syncs that were recorded and are not kept any more. */
  get forgotten(): number {
    return this.#count - this.length;
  }

  /** Roughly what is kept, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  record(entry: JournalEntry): void {
    const sync = this.#plain(entry);
    const [ring, limit] = isIdle(sync) ? [this.#idle, this.#limits.idle] : [this.#changing, this.#limits.changing];
    ring.push(sync);
    this.#bytes += bytesOf(sync);
    this.#countLost(sync);
    if (ring.length > limit) this.#forget(ring);
    while (this.#bytes > this.#limits.bytes) this.#forget(this.#idle.length > 0 ? this.#idle : this.#changing);
  }

  /** The syncs that are kept, those with changes first, each kind oldest first. */
  *syncs(): Iterable<Sync> {
    yield* this.#changing.values();
    yield* this.#idle.values();
  }

  #plain(entry: JournalEntry): Sync {
    return {
      number: ++this.#count,
      group: this.#group,
      controller: entry.controller,
      kind: entry.kind,
      key: entry.key,
      causes: entry.causes,
      droppedCauses: entry.droppedCauses,
      waitedMs: entry.waitedMs,
      startedMs: entry.startedMs,
      durationMs: entry.durationMs,
      outcome: entry.outcome,
      error: errorText(entry.error),
      nextTryMs: entry.nextTryMs,
      reads: entry.reads,
      droppedReads: entry.droppedReads,
      writes: entry.writes,
      droppedWrites: entry.droppedWrites,
    };
  }

  #countLost({ droppedCauses, droppedReads, droppedWrites }: Sync): void {
    if (droppedCauses > 0) this.#lost.inc(["cause"], droppedCauses);
    if (droppedReads > 0) this.#lost.inc(["read"], droppedReads);
    if (droppedWrites > 0) this.#lost.inc(["write"], droppedWrites);
  }

  #forget(ring: RingBuffer<Sync>): void {
    const oldest = ring.shift();
    if (!oldest) return;
    this.#bytes -= bytesOf(oldest);
  }
}

function errorText(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  return (error instanceof Error ? error.message : String(error)).slice(0, ERROR_LENGTH);
}

/** Texts that are other objects' too count as if they were its own. */
function bytesOf({ key, causes, reads, writes, error = "" }: Sync): number {
  let bytes = SYNC_BYTES + key.length + error.length;
  for (const cause of causes) bytes += cause.length;
  for (const { what } of reads) bytes += NOTE_BYTES + what.length;
  for (const write of writes) bytes += NOTE_BYTES + write.key.length + (write.error?.length ?? 0);
  return bytes;
}
