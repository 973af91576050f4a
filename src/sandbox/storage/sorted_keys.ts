/** A larger block is split in two; limits how many keys an insertion moves. */
const MOST_IN_BLOCK = 512;

/**
 * Distinct texts in ascending order, in blocks, so that an insertion or removal does not move all keys after it.
 *
 * Contract:
 * 1. The keys are in ascending order by UTF-16 code unit, each of them once.
 *
 * An insertion or removal takes time proportional to the size of a block plus the number of blocks, not to the number
 * of keys.
 */
export class SortedKeys {
  /** Each is sorted and not empty. */
  readonly #blocks: string[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(key: string): void {
    const blocks = this.#blocks;
    if (blocks.length === 0) blocks.push([]);
    const at = Math.min(this.#blockOf(key), blocks.length - 1);
    const block = blocks[at];
    const index = lowerBound(block, key);
    if (block[index] === key) return;
    block.splice(index, 0, key);
    this.#size++;
    if (block.length <= MOST_IN_BLOCK) return;
    // Keys often arrive in order, so a last block is left full.
    const cut = at === blocks.length - 1 && index === block.length - 1 ? MOST_IN_BLOCK : MOST_IN_BLOCK / 2;
    blocks.splice(at + 1, 0, block.splice(cut));
  }

  delete(key: string): void {
    const at = this.#blockOf(key);
    const block = this.#blocks[at];
    if (!block) return;
    const index = lowerBound(block, key);
    if (block[index] !== key) return;
    block.splice(index, 1);
    this.#size--;
    if (block.length === 0) this.#blocks.splice(at, 1);
  }

  /** The first `atMost` keys from `from` up to, but excluding, `end`; `undefined` means no end. */
  between(from: string, end: string | undefined, atMost = Infinity): string[] {
    const found: string[] = [];
    for (let at = this.#blockOf(from); at < this.#blocks.length; at++) {
      const block = this.#blocks[at];
      const start = block[0] < from ? lowerBound(block, from) : 0;
      const stop = end === undefined || block[block.length - 1] < end ? block.length : lowerBound(block, end);
      for (let i = start; i < stop && found.length < atMost; i++) found.push(block[i]);
      if (stop < block.length || found.length >= atMost) break;
    }
    return found;
  }

  before(key: string): number {
    const at = this.#blockOf(key);
    let count = 0;
    for (let i = 0; i < at; i++) count += this.#blocks[i].length;
    return at < this.#blocks.length ? count + lowerBound(this.#blocks[at], key) : count;
  }

  /** The index of the first block with a key at or after `key`; if `key` exists, that block contains it. */
  #blockOf(key: string): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const block = this.#blocks[middle];
      if (block[block.length - 1] < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The index of the first key at or after `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
