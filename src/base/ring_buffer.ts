/** With how many slots it begins: most buffers never hold more. */
const FEW = 16;

/** A buffer with more slots than this begins anew once it is empty. */
const MANY = 1024;

/**
 * A growing first-in first-out buffer.
 *
 * Contract:
 * 1. Items leave in the order in which they came.
 * 2. `push` never refuses and never blocks; the buffer doubles when it is full.
 * 3. `length` is the number of items pushed and not yet shifted.
 * 4. A buffer that has grown large gives its memory back when it is empty.
 *
 * It stands between an informer's cache and one event handler, so that a slow handler delays nobody else.
 * Upstream: `k8s.io/utils/buffer` (RingGrowing), used by `client-go/tools/cache/shared_informer.go`.
 *
 * @typeParam T What is buffered.
 *
 * @example A buffer that grows
 * ```ts
 * import { RingBuffer } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const buffer = new RingBuffer<string>();
 * buffer.push("a");
 * buffer.push("b");
 * assertEquals([buffer.shift(), buffer.shift(), buffer.shift()], ["a", "b", undefined]);
 * ```
 */
export class RingBuffer<T> {
  #slots = new Array<T | undefined>(FEW);
  #head = 0;
  #length = 0;

  /** Items pushed and not yet shifted. */
  get length(): number {
    return this.#length;
  }

  /** For how many items it has memory. */
  get capacity(): number {
    return this.#slots.length;
  }

  /** Appends `item`, growing the buffer if it is full. */
  push(item: T): void {
    if (this.#length === this.#slots.length) this.#resize(2 * this.#length);
    this.#slots[(this.#head + this.#length) % this.#slots.length] = item;
    this.#length++;
  }

  /** Removes and returns the oldest item, or `undefined` when the buffer is empty. */
  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const item = this.#slots[this.#head];
    this.#slots[this.#head] = undefined; // allows the item to be garbage collected
    this.#head = (this.#head + 1) % this.#slots.length;
    this.#length--;
    if (this.#length === 0 && this.#slots.length > MANY) this.#resize(FEW);
    return item;
  }

  /** The items, oldest first, without removing them. Do not push or shift during iteration. */
  *values(): Iterable<T> {
    for (let i = 0; i < this.#length; i++) yield this.#slots[(this.#head + i) % this.#slots.length]!;
  }

  #resize(capacity: number): void {
    const slots = new Array<T | undefined>(capacity);
    for (let i = 0; i < this.#length; i++) slots[i] = this.#slots[(this.#head + i) % this.#slots.length];
    this.#slots = slots;
    this.#head = 0;
  }
}
