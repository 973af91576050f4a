/**
 * A binary min-heap.
 *
 * Contract:
 * 1. `pop` returns an item that no other item in the heap compares smaller than.
 * 2. `push` and `pop` take logarithmic time.
 *
 * @typeParam T What is ordered.
 */
export class Heap<T> implements Iterable<T> {
  readonly #items: T[] = [];
  readonly #compare: (a: T, b: T) => number;

  /** @param compare Negative if `a` comes before `b`. */
  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get length(): number {
    return this.#items.length;
  }

  /** The smallest item, left in place. */
  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#compare(items[parent], item) <= 0) break;
      items[at] = items[parent];
      at = parent;
    }
    items[at] = item;
  }

  /** Removes and returns the smallest item, or `undefined` when empty. */
  pop(): T | undefined {
    const items = this.#items;
    const smallest = items[0];
    const last = items.pop();
    if (items.length === 0 || last === undefined) return smallest;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#compare(items[child + 1], items[child]) < 0) child++;
      if (this.#compare(last, items[child]) <= 0) break;
      items[at] = items[child];
      at = child;
    }
    items[at] = last;
    return smallest;
  }

  /** All items, in no particular order. */
  [Symbol.iterator](): Iterator<T> {
    return this.#items[Symbol.iterator]();
  }
}
