import type { Activity, WriteNote } from "../api/mod.ts";

/** A look-up. Plain data. */
export interface ReadNote {
  /** With its group: `deployments.apps`. */
  readonly resource: string;
  /** The key, or how objects were chosen: `index=value`. */
  readonly what: string;
  /** How many objects there were. */
  readonly count: number;
}

/** Different look-ups that are kept of one sync. */
export const MAX_READS = 16;
/** Writes that are kept of one sync: as many as pods are made or deleted in one. */
export const MAX_WRITES = 500;

const NONE: readonly never[] = [];

/**
 * What one sync reads and writes, and when its key is due again.
 *
 * Contract:
 * 1. Each look-up is kept once, with what it found the last time; each write, in order.
 * 2. There are never more than {@link MAX_READS} and {@link MAX_WRITES}; the rest is only counted.
 * 3. Of several delays of its own key the shortest counts; those of other keys do not.
 * 4. After `end` nothing changes any more, whatever the sync has left running.
 */
export class SyncNotes implements Activity {
  readonly #key: unknown;
  /** Absent while there are none: ten thousand syncs may be under way. */
  #reads: { resource: string; what: string; count: number }[] | undefined;
  #writes: WriteNote[] | undefined;
  #droppedReads = 0;
  #droppedWrites = 0;
  #nextTryMs: number | undefined;
  #isOver = false;

  /** @param key As its queue knows it. */
  constructor(key: unknown) {
    this.#key = key;
  }

  get reads(): readonly ReadNote[] {
    return this.#reads ?? NONE;
  }

  get writes(): readonly WriteNote[] {
    return this.#writes ?? NONE;
  }

  get droppedReads(): number {
    return this.#droppedReads;
  }

  get droppedWrites(): number {
    return this.#droppedWrites;
  }

  /** In how long the key is worked on again even if nothing happens; unknown if nobody asked for that. */
  get nextTryMs(): number | undefined {
    return this.#nextTryMs;
  }

  read(resource: string, what: string, count: number): void {
    if (this.#isOver) return;
    if (!this.#reads) return void (this.#reads = [{ resource, what, count }]);
    for (const note of this.#reads) {
      if (note.what === what && note.resource === resource) return void (note.count = count);
    }
    if (this.#reads.length < MAX_READS) this.#reads.push({ resource, what, count });
    else this.#droppedReads++;
  }

  wrote(note: WriteNote): void {
    if (this.#isOver) return;
    if (!this.#writes) this.#writes = [note];
    else if (this.#writes.length < MAX_WRITES) this.#writes.push(note);
    else this.#droppedWrites++;
  }

  putOff(key: unknown, delayMs: number): void {
    if (key !== this.#key || this.#isOver) return;
    this.#nextTryMs = Math.min(delayMs, this.#nextTryMs ?? Infinity);
  }

  end(): void {
    this.#isOver = true;
  }
}
