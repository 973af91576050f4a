import { type MetricsRegistry, RingBuffer } from "../../base/mod.ts";
import type { Journal, JournalEntry } from "../../controllers/mod.ts";
import type { SyncRecord } from "../../workqueue/mod.ts";
import type { Sync } from "./sync.ts";

/** Limits of a journal's size. */
export interface JournalLimits {
  /** Syncs that wrote something or failed. */
  readonly changing: number;
  /** Syncs that found nothing to do. */
  readonly idle: number;
  /** The approximate size of both. */
  readonly bytes: number;
}

/** Options of {@link SyncJournal}. */
export interface SyncJournalOptions {
  readonly metrics: MetricsRegistry;
  /** The group of controllers; empty if there is only one thread. */
  readonly group?: string;
  readonly limits?: JournalLimits;
}

/**
 * For one group, these cover hours of a small cluster or minutes of a big one, and use far less memory than its caches.
 */
const LIMITS: JournalLimits = { changing: 2000, idle: 500, bytes: 8 << 20 };

/** A recorded sync, which is formatted on demand. */
interface Kept {
  readonly number: number;
  readonly entry: JournalEntry;
  /** The approximate size when it was recorded. */
  readonly bytes: number;
}

/**
 * The last syncs of a group of controllers.
 *
 * Contract:
 * 1. Syncs never exceed the limits; the oldest make room for new ones, and are counted.
 * 2. Syncs that found nothing to do displace none that did something, unless bytes run out.
 * 3. Entries are plain data and keep nothing else alive: no error, no object.
 *
 * It is read by `/debug/why`.
 */
export class SyncJournal implements Journal {
  readonly #group: string;
  readonly #limits: JournalLimits;
  readonly #changing = new RingBuffer<Kept>();
  readonly #idle = new RingBuffer<Kept>();
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
    metrics.gauge({ name: "kubeloop_journal_bytes", help: "Memory that the journal takes, roughly." })
      .track(() => this.bytes);
    this.#lost = metrics.counter({
      name: "kubeloop_journal_lost_notes_total",
      help: "Number of causes, reads and writes of syncs that were too many to be kept in the journal.",
      labels: ["what"],
    });
    for (const what of ["cause", "read", "write"]) this.#lost.inc([what], 0);
  }

  /** The number of kept syncs. */
  get length(): number {
    return this.#changing.length + this.#idle.length;
  }

  /** The number of recorded syncs that are no longer kept. */
  get forgotten(): number {
    return this.#count - this.length;
  }

  /** The approximate size of the kept syncs in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  record(entry: JournalEntry): void {
    const { isIdle, bytes } = entry.record;
    const ring = isIdle ? this.#idle : this.#changing;
    ring.push({ number: ++this.#count, entry, bytes });
    this.#bytes += bytes;
    this.#countLost(entry.record);
    if (ring.length > (isIdle ? this.#limits.idle : this.#limits.changing)) this.#forget(ring);
    while (this.#bytes > this.#limits.bytes) this.#forget(this.#idle.length > 0 ? this.#idle : this.#changing);
  }

  /** The kept syncs: first those with changes, then the idle ones, each oldest first. */
  *syncs(): Iterable<Sync> {
    for (const kept of this.#changing.values()) yield this.#plain(kept);
    for (const kept of this.#idle.values()) yield this.#plain(kept);
  }

  #plain({ number, entry: { controller, kind, key, record } }: Kept): Sync {
    const { causes, waitedMs, startedMs, durationMs, outcome, error, nextTryMs } = record;
    const { reads, droppedReads, writes, droppedWrites } = record;
    return {
      number,
      group: this.#group,
      controller,
      kind,
      key,
      causes: causes.notes,
      droppedCauses: causes.dropped,
      waitedMs,
      startedMs,
      durationMs,
      outcome,
      error,
      nextTryMs,
      reads,
      droppedReads,
      writes,
      droppedWrites,
    };
  }

  #countLost({ causes, droppedReads, droppedWrites }: SyncRecord): void {
    if (causes.dropped > 0) this.#lost.inc(["cause"], causes.dropped);
    if (droppedReads > 0) this.#lost.inc(["read"], droppedReads);
    if (droppedWrites > 0) this.#lost.inc(["write"], droppedWrites);
  }

  #forget(ring: RingBuffer<Kept>): void {
    const oldest = ring.shift();
    if (!oldest) return;
    this.#bytes -= oldest.bytes;
  }
}
