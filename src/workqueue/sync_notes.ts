import { errorText } from "../base/mod.ts";
import type { Activity, Write, WriteNote } from "../client/mod.ts";
import type { Causes } from "./causes.ts";
import type { QueueItem } from "./queue_item.ts";

/** A look-up. Plain data. */
export interface ReadNote {
  /** With its group: `deployments.apps`. */
  readonly resource: string;
  /** The key, or the selection, such as `index=value`. */
  readonly what: string;
  /** How many objects there were. */
  readonly count: number;
}

/** How a sync ended: the key is done, retried, or given up. */
export type Outcome = "done" | "retry" | "forget";

/** The record of a sync. Times in milliseconds. Keeps neither objects nor errors alive. */
export interface SyncRecord {
  /** Why it was done. */
  readonly causes: Causes;
  /** How long the key was queued. */
  readonly waitedMs: number;
  /** When it began, by the wall clock. */
  readonly startedMs: number;
  readonly durationMs: number;
  readonly outcome: Outcome;
  /** The error's text, truncated. */
  readonly error?: string;
  /** When the key will be synced again even if nothing changes; absent if that is not planned. */
  readonly nextTryMs?: number;
  /** Look-ups in caches and on the API server, and writes; both limited, and formatted on demand. */
  readonly reads: readonly ReadNote[];
  readonly droppedReads: number;
  readonly writes: readonly WriteNote[];
  readonly droppedWrites: number;
  /** Whether there was nothing to do: nothing was written, and nothing failed. */
  readonly isIdle: boolean;
  /** Its approximate size in bytes. */
  readonly bytes: number;
}

/** How many distinct look-ups of a sync are kept. */
export const MAX_READS = 16;
/** How many writes of a sync are kept: as many pods as one sync creates or deletes. */
export const MAX_WRITES = 500;
/** How much of an error's text is kept. */
const ERROR_LENGTH = 500;
/** The approximate overhead of a record and of each note, in bytes. */
const RECORD_BYTES = 400;
const NOTE_BYTES = 100;

const NONE: readonly never[] = [];

/**
 * Records what a sync reads and writes, when its key is due again, and how it ended.
 *
 * Contract:
 * 1. Each look-up is kept once, with what it found the last time; each write, in order.
 * 2. There are never more than {@link MAX_READS} and {@link MAX_WRITES}; the rest is only counted.
 * 3. Of several delays of its own key the shortest counts; those of other keys do not.
 * 4. After `end` nothing changes any more, whatever the sync has left running.
 */
export class SyncNotes implements Activity, SyncRecord {
  readonly causes: Causes;
  readonly waitedMs: number;
  readonly startedMs: number;
  /** Forgotten at the end: it may be an object. */
  #key: unknown;
  /** Absent while empty: ten thousand syncs may be in progress. */
  #reads: { resource: string; what: string; count: number }[] | undefined;
  #writes: Write[] | undefined;
  #droppedReads = 0;
  #droppedWrites = 0;
  #nextTryMs: number | undefined;
  #durationMs = 0;
  #outcome: Outcome | undefined;
  #error: string | undefined;

  constructor({ key, causes, waitedMs }: QueueItem<unknown>, startedMs: number) {
    this.#key = key;
    this.causes = causes;
    this.waitedMs = waitedMs;
    this.startedMs = startedMs;
  }

  get durationMs(): number {
    return this.#durationMs;
  }

  get outcome(): Outcome {
    return this.#outcome ?? "done";
  }

  get error(): string | undefined {
    return this.#error;
  }

  get nextTryMs(): number | undefined {
    return this.#nextTryMs;
  }

  get reads(): readonly ReadNote[] {
    return this.#reads ?? NONE;
  }

  get writes(): readonly WriteNote[] {
    return this.#writes?.map((write) => write.note) ?? NONE;
  }

  get droppedReads(): number {
    return this.#droppedReads;
  }

  get droppedWrites(): number {
    return this.#droppedWrites;
  }

  get isIdle(): boolean {
    return this.#writes === undefined && this.#error === undefined;
  }

  get bytes(): number {
    const notes = this.causes.size + (this.#reads?.length ?? 0);
    let bytes = RECORD_BYTES + notes * NOTE_BYTES + (this.#error?.length ?? 0);
    if (this.#writes) { for (const { bytes: texts } of this.#writes) bytes += NOTE_BYTES + texts; }
    return bytes;
  }

  read(resource: string, what: string, count: number): void {
    if (this.#outcome) return;
    if (!this.#reads) return void (this.#reads = [{ resource, what, count }]);
    for (const note of this.#reads) {
      if (note.what === what && note.resource === resource) return void (note.count = count);
    }
    if (this.#reads.length < MAX_READS) this.#reads.push({ resource, what, count });
    else this.#droppedReads++;
  }

  wrote(write: Write): void {
    if (this.#outcome) return;
    if (!this.#writes) this.#writes = [write];
    else if (this.#writes.length < MAX_WRITES) this.#writes.push(write);
    else this.#droppedWrites++;
  }

  putOff(key: unknown, delayMs: number): void {
    if (key !== this.#key || this.#outcome) return;
    this.#nextTryMs = Math.min(delayMs, this.#nextTryMs ?? Infinity);
  }

  /** @param how.error Absent after success. */
  end(outcome: Outcome, { durationMs, error }: { readonly durationMs: number; readonly error?: unknown }): void {
    this.#key = undefined;
    this.#outcome = outcome;
    this.#durationMs = durationMs;
    if (error !== undefined) {
      this.#error = errorText(error).slice(0, ERROR_LENGTH);
    }
  }
}
