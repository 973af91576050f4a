import { Heap } from "../base/mod.ts";

/** An entry that can be taken back without searching for it. */
export interface Withdrawable {
  withdrawn: boolean;
}

/** With fewer withdrawn entries, rebuilding the heap is not worthwhile. */
const FEW = 64;

/**
 * A heap whose entries can be withdrawn wherever they are.
 *
 * Contract:
 * 1. `peek` and `pop` give the smallest entry that was not withdrawn.
 * 2. Withdrawn entries are never more than the others and {@link FEW} together; amortised, each costs logarithmic time.
 */
export class WithdrawableHeap<T extends Withdrawable> {
  readonly #compare: (a: T, b: T) => number;
  #heap: Heap<T>;
  #withdrawn = 0;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
    this.#heap = new Heap(compare);
  }

  /** Entries that were not withdrawn. */
  get length(): number {
    return this.#heap.length - this.#withdrawn;
  }

  push(entry: T): void {
    this.#heap.push(entry);
  }

  /** Withdraws `entry`, which must be in the heap. */
  withdraw(entry: T): void {
    entry.withdrawn = true;
    this.#withdrawn++;
    if (this.#withdrawn > this.length + FEW) this.#rebuild();
  }

  peek(): T | undefined {
    while (this.#heap.peek()?.withdrawn) {
      this.#heap.pop();
      this.#withdrawn--;
    }
    return this.#heap.peek();
  }

  pop(): T | undefined {
    this.peek();
    return this.#heap.pop();
  }

  #rebuild(): void {
    const heap = new Heap(this.#compare);
    for (const entry of this.#heap) if (!entry.withdrawn) heap.push(entry);
    this.#heap = heap;
    this.#withdrawn = 0;
  }
}
