/** Blocks from `first` to `last`, both included. */
export interface BlockRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Counts the holders of numbered blocks.
 *
 * Contract:
 * 1. A block is free when everybody who held it has released it.
 * 2. Memory grows with the runs of blocks that equally many hold, whatever their length.
 * 3. A change returns the blocks that went from free to held, or from held to free.
 * 4. The search for a free block goes from where it is told to start to the end, and on from the first block.
 * 5. Releasing a block that nobody holds changes nothing and is an error.
 */
export class HeldBlocks {
  readonly size: number;
  /** Where each run begins. The first one begins at 0, and neighbours differ in their counts. */
  readonly #starts: number[] = [0];
  readonly #counts: number[] = [0];
  #held = 0;

  /** @param size How many blocks there are: at most 2^53. */
  constructor(size: number) {
    this.size = size;
  }

  /** How many blocks somebody holds. */
  get held(): number {
    return this.#held;
  }

  /** How many runs are kept. */
  get runs(): number {
    return this.#starts.length;
  }

  /** Holds all blocks of the range once more. @returns How many were free. */
  hold(range: BlockRange): number {
    this.#check(range);
    const changed = this.#change(range, 1);
    this.#held += changed;
    return changed;
  }

  /**
   * Releases one hold of each block of the range.
   * @returns How many became free.
   * @throws {RangeError} By sentence 5.
   */
  release(range: BlockRange): number {
    this.#check(range);
    for (let i = this.#runOf(range.first); i < this.runs && this.#starts[i] <= range.last; i++) {
      if (this.#counts[i] === 0) throw new RangeError(`Cannot release blocks ${text(range)}: nobody holds all of them`);
    }
    const changed = this.#change(range, -1);
    this.#held -= changed;
    return changed;
  }

  /** The first free block at or after `from` or, failing that, from the start; `undefined` if all are held. */
  nextFree(from: number): number | undefined {
    const begin = this.#runOf(from);
    if (this.#counts[begin] === 0) return from;
    for (let step = 1; step <= this.runs; step++) {
      const i = (begin + step) % this.runs;
      if (this.#counts[i] === 0) return this.#starts[i];
    }
    return undefined;
  }

  #check(range: BlockRange): void {
    const { first, last } = range;
    if (first >= 0 && first <= last && last < this.size) return;
    throw new RangeError(`Cannot change blocks ${text(range)}: there are ${this.size}`);
  }

  /** @returns How many blocks became held, or free. */
  #change({ first, last }: BlockRange, by: 1 | -1): number {
    const begin = this.#split(first);
    const end = last + 1 < this.size ? this.#split(last + 1) : this.runs;
    let changed = 0;
    for (let i = begin; i < end; i++) {
      const before = this.#counts[i];
      this.#counts[i] = before + by;
      if (before === 0 || before + by === 0) changed += (this.#starts[i + 1] ?? this.size) - this.#starts[i];
    }
    // Runs in between still differ.
    this.#join(end);
    this.#join(begin);
    return changed;
  }

  /**
   * Makes a run begin at this block.
   * @returns Its index.
   */
  #split(block: number): number {
    const run = this.#runOf(block);
    if (this.#starts[run] === block) return run;
    this.#starts.splice(run + 1, 0, block);
    this.#counts.splice(run + 1, 0, this.#counts[run]);
    return run + 1;
  }

  /** Joins a run to the one before it if they have the same count. */
  #join(run: number): void {
    if (run === 0 || run >= this.runs || this.#counts[run] !== this.#counts[run - 1]) return;
    this.#starts.splice(run, 1);
    this.#counts.splice(run, 1);
  }

  /** The run that holds this block. */
  #runOf(block: number): number {
    let low = 0;
    let high = this.runs - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#starts[middle] <= block) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function text({ first, last }: BlockRange): string {
  return first === last ? String(first) : `${first} to ${last}`;
}
