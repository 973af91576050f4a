import { Heap } from "../../base/mod.ts";
import type { AddressRange } from "./address.ts";

/**
 * The free addresses of a range.
 *
 * Contract:
 * 1. `lowest` is the lowest address of the range that is not used.
 * 2. It costs the same for ranges of any length: an address that was never looked at takes no memory. Together, calls
 *    take time for each address that was used, and its logarithm for each that was released.
 * 3. Whoever releases an address says so (`released`); whoever takes one need not.
 */
export class FreeAddresses {
  readonly #range: AddressRange;
  readonly #isUsed: (value: bigint) => boolean;
  /** All addresses below this are used, or were released and are in the heap. */
  #next: bigint;
  readonly #heap = new Heap<bigint>((a, b) => a < b ? -1 : a > b ? 1 : 0);
  readonly #inHeap = new Set<bigint>();

  constructor(range: AddressRange, isUsed: (value: bigint) => boolean) {
    this.#range = range;
    this.#isUsed = isUsed;
    this.#next = range.first;
  }

  /** `undefined` if all are used. Reading it does not allocate it. */
  get lowest(): bigint | undefined {
    for (let released = this.#heap.peek(); released !== undefined; released = this.#heap.peek()) {
      if (!this.#isUsed(released)) return released;
      this.#heap.pop();
      this.#inHeap.delete(released);
    }
    while (this.#next <= this.#range.last && this.#isUsed(this.#next)) this.#next++;
    return this.#next <= this.#range.last ? this.#next : undefined;
  }

  /** Reports that an address of the range is no longer used. */
  released(value: bigint): void {
    if (value >= this.#next || this.#inHeap.has(value)) return;
    this.#inHeap.add(value);
    this.#heap.push(value);
  }
}
