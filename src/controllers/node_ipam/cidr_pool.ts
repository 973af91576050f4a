import { type BlockRange, cidrText, type DividedRange, HeldBlocks } from "../address_ranges/mod.ts";
import type { PoolMetrics } from "./metrics.ts";

/** All blocks are held. */
export class PoolExhaustedError extends Error {
  override readonly name = "PoolExhaustedError";

  constructor() {
    super("CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range");
  }
}

/** One range of the cluster: its blocks, their allocation, and their metrics. */
export class CidrPool {
  readonly range: DividedRange;
  readonly #held: HeldBlocks;
  readonly #metrics: PoolMetrics;
  readonly #label: string;
  #next = 0;

  constructor(range: DividedRange, metrics: PoolMetrics) {
    this.range = range;
    this.#held = new HeldBlocks(range.count);
    this.#metrics = metrics;
    this.#label = cidrText(range.whole);
    metrics.made(this.#label, range.count);
  }

  /**
   * Allocates the next free block; recently freed ones come last.
   *
   * @throws {PoolExhaustedError} If there is none.
   */
  allocate(): number {
    const { size } = this.#held;
    const index = this.#held.nextFree(this.#next);
    if (index === undefined) throw new PoolExhaustedError();
    this.#metrics.tried(this.#label, (index - this.#next + size) % size);
    this.#next = (index + 1) % size;
    this.hold({ first: index, last: index });
    return index;
  }

  hold(range: BlockRange): void {
    this.#metrics.held(this.#label, this.#held.hold(range), this.#usage);
  }

  release(range: BlockRange): void {
    this.#metrics.released(this.#label, this.#held.release(range), this.#usage);
  }

  get #usage(): number {
    return this.#held.held / this.#held.size;
  }
}
