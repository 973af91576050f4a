import type { Clock } from "../base/mod.ts";

const CLOSED = -(2n ** 63n);
const OPEN_FOR_EVER = 2n ** 63n - 1n;

/**
 * Until when this process may write, in memory that all its threads read.
 *
 * Contract:
 * 1. It is closed at first, open until the time given to `openUntil`, and closed by `close`, in every thread at once.
 * 2. A {@link FenceView} is never open when it is closed here: of what it cannot know about this thread's clock it assumes the
 *    latest.
 */
export class SharedFence {
  /** To be sent to the other threads. */
  readonly memory = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
  readonly #until = new BigInt64Array(this.memory);

  constructor() {
    this.close();
  }

  /** Open while the monotonic clock of this thread is before `untilMs`; for ever without one. */
  openUntil(untilMs?: number): void {
    Atomics.store(this.#until, 0, untilMs === undefined ? OPEN_FOR_EVER : BigInt(Math.floor(untilMs * 1000)));
  }

  close(): void {
    Atomics.store(this.#until, 0, CLOSED);
  }
}

/**
 * The fence of another thread, asked by this one's clock. Clocks of threads go at one rate, but count from different starts.
 *
 * Contract:
 * 1. It is closed until the clocks were compared.
 * 2. It closes at the latest when the fence does, and earlier by no more than the quickest comparison took.
 */
export class FenceView {
  readonly #until: BigInt64Array;
  readonly #clock: Clock;
  /** The other clock shows at most this much more than ours. */
  #aheadMs = Infinity;

  constructor(memory: SharedArrayBuffer, clock: Clock) {
    this.#until = new BigInt64Array(memory);
    this.#clock = clock;
  }

  /** The other thread's clock showed `theirsMs` at some time after ours had shown `oursMs`. */
  compare(oursMs: number, theirsMs: number): void {
    this.#aheadMs = Math.min(this.#aheadMs, theirsMs - oursMs);
  }

  get isOpen(): boolean {
    if (this.#aheadMs === Infinity) return false;
    const theirsMs = this.#clock.monotonicMs() + this.#aheadMs;
    return BigInt(Math.ceil(theirsMs * 1000)) < Atomics.load(this.#until, 0);
  }
}
