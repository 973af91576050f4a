import type { Clock } from "../base/mod.ts";
import type { BothClocks } from "./fence.ts";

/** The slots in a fence's memory for the times until which it is open, in microseconds. */
const MONOTONIC = 0;
const WALL = 1;

const CLOSED = -(2n ** 63n);
const OPEN_FOR_EVER = 2n ** 63n - 1n;

/** Reads one of the times in a fence's memory. */
export type FenceReading = (slot: number) => bigint;

/**
 * Shares with other threads until when this process may write.
 *
 * Contract:
 * 1. It is closed at first, open until either clock shows the time given to `openUntil`, and closed by `close`, in
 *    every thread at once.
 * 2. Each thread has its own memory, which only this one writes: what a thread writes there opens nothing for others.
 * 3. A fence that was lent and taken back stays closed.
 */
export class SharedFence {
  readonly #lent = new Set<LentFence>();
  #until: BothClocks | "closed" | "for ever" = "closed";

  /** Opens it until either of this thread's clocks reaches `end`. */
  openUntil(end: BothClocks | "for ever" = "for ever"): void {
    this.#set(end);
  }

  close(): void {
    this.#set("closed");
  }

  /** Makes a fence for one other thread. */
  lend(): LentFence {
    const lent: LentFence = new LentFence(() => void this.#lent.delete(lent));
    this.#lent.add(lent);
    lent.set(this.#until);
    return lent;
  }

  #set(until: BothClocks | "closed" | "for ever"): void {
    this.#until = until;
    for (const lent of this.#lent) lent.set(until);
  }
}

/** The fence as one other thread sees it. */
export class LentFence {
  /** The memory to send to the thread. */
  readonly memory: SharedArrayBuffer = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT);
  readonly #times = new BigInt64Array(this.memory);
  readonly #onTakenBack: () => void;

  constructor(onTakenBack: () => void) {
    this.#onTakenBack = onTakenBack;
    this.set("closed");
  }

  /** Closes it permanently, because the thread is given up. */
  takeBack(): void {
    this.#onTakenBack();
    this.set("closed");
  }

  /** Only for its {@link SharedFence}. A concurrent reader sees times of which either is enough to close it. */
  set(until: BothClocks | "closed" | "for ever"): void {
    const write = (slot: number, ms: number) =>
      Atomics.store(this.#times, slot, ms === Infinity ? OPEN_FOR_EVER : BigInt(Math.floor(ms * 1000)));
    if (until === "closed") Atomics.store(this.#times, MONOTONIC, CLOSED);
    else {
      const { monotonicMs, wallMs } = until === "for ever" ? { monotonicMs: Infinity, wallMs: Infinity } : until;
      write(WALL, wallMs);
      write(MONOTONIC, monotonicMs);
    }
  }
}

/**
 * Reads another thread's fence by this thread's clocks. Threads' monotonic clocks run at the same rate but start at
 * different values; the wall clock is shared.
 *
 * Contract:
 * 1. It is closed until the clocks were compared.
 * 2. It closes at the latest when the fence does, and earlier by no more than the quickest comparison took.
 */
export class FenceView {
  readonly #read: FenceReading;
  readonly #clock: Clock;
  /** How far, at most, the other clock is ahead of ours. */
  #aheadMs = Infinity;
  /** A time that has passed by the wall clock stays passed: that clock may be set back. */
  #over: bigint | undefined;

  constructor(read: FenceReading, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
  }

  /** The other thread's clock showed `theirsMs` at some time after ours had shown `oursMs`. */
  compare(oursMs: number, theirsMs: number): void {
    this.#aheadMs = Math.min(this.#aheadMs, theirsMs - oursMs);
  }

  get isOpen(): boolean {
    if (this.#aheadMs === Infinity) return false;
    const until = this.#read(MONOTONIC);
    if (until === this.#over || !isBefore(this.#clock.monotonicMs() + this.#aheadMs, until)) return false;
    if (isBefore(this.#clock.wallMs(), this.#read(WALL))) return true;
    this.#over = until;
    return false;
  }
}

function isBefore(ms: number, untilMicros: bigint): boolean {
  return BigInt(Math.ceil(ms * 1000)) < untilMicros;
}
