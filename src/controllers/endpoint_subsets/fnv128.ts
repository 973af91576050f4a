const OFFSET = [0x6295c58d, 0x62b82175, 0x07bb0142, 0x6c62272e] as const;
/** The prime is 2^88 + 315. */
const PRIME_LOW = 315;
const WORD = 2 ** 32;
const encoder = new TextEncoder();

/**
 * The 128-bit FNV-1a hash of texts, one after the other, in UTF-8.
 *
 * @example
 * ```ts
 * import { Fnv128a } from "./fnv128.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(new Fnv128a().add("foobar").hex, "343e1662793c64bf6f0d3597ba446f18");
 * ```
 */
export class Fnv128a {
  /** Words of 32 bits, the lowest first. */
  #words: readonly number[] = OFFSET;

  add(text: string): this {
    let [a, b, c, d] = this.#words;
    for (const byte of encoder.encode(text)) {
      const low = (a ^ byte) >>> 0;
      const product0 = low * PRIME_LOW;
      const product1 = b * PRIME_LOW + Math.floor(product0 / WORD);
      const product2 = c * PRIME_LOW + Math.floor(product1 / WORD) + ((low << 24) >>> 0);
      const product3 = d * PRIME_LOW + Math.floor(product2 / WORD) + (low >>> 8) + ((b << 24) >>> 0);
      [a, b, c, d] = [product0 % WORD, product1 % WORD, product2 % WORD, product3 % WORD];
    }
    this.#words = [a, b, c, d];
    return this;
  }

  /** In hexadecimal digits: texts that sort as the bytes do. */
  get hex(): string {
    return this.#words.toReversed().map((word) => word.toString(16).padStart(8, "0")).join("");
  }
}
