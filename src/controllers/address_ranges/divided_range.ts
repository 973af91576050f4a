import { bitsOf, type Cidr, cidrText, lastAddress, overlap } from "./cidr.ts";
import type { BlockRange } from "./held_blocks.ts";

/** Upstream's bitmap of an IPv6 range has at most 2^16 bits. */
const MAX_BITS_6 = 16;

/**
 * A range of addresses that is divided into blocks of equal size.
 * Upstream: `pkg/controller/nodeipam/ipam/cidrset/cidr_set.go`.
 *
 * @example
 * ```ts
 * import { cidrText, DividedRange, parseCidr } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const range = new DividedRange(parseCidr("10.244.0.0/16"), 24);
 * assertEquals([range.count, cidrText(range.block(3))], [256, "10.244.3.0/24"]);
 * assertEquals(range.blocksOf(parseCidr("10.244.2.0/23")), { first: 2, last: 3 });
 * ```
 */
export class DividedRange {
  readonly whole: Cidr;
  readonly blockPrefix: number;

  /** @throws {TypeError} If it cannot be divided like this. */
  constructor(whole: Cidr, blockPrefix: number) {
    const { family, prefix } = whole;
    if (blockPrefix < prefix || blockPrefix > bitsOf(family)) {
      throw new TypeError(
        `Cannot divide ${cidrText(whole)} into blocks of /${blockPrefix}: give a size from ${prefix} to ${
          bitsOf(family)
        }`,
      );
    }
    if (family === 6 && blockPrefix - prefix > MAX_BITS_6) {
      throw new TypeError("New CIDR set failed; the node CIDR size is too big");
    }
    this.whole = whole;
    this.blockPrefix = blockPrefix;
  }

  /** How many blocks there are. */
  get count(): number {
    return 2 ** (this.blockPrefix - this.whole.prefix);
  }

  block(index: number): Cidr {
    const { family, base } = this.whole;
    return { family, base: base + (BigInt(index) << this.#hostBits), prefix: this.blockPrefix };
  }

  /**
   * The blocks that overlap `cidr`: one if it is smaller than a block, all if it is larger than the whole.
   *
   * @throws {TypeError} If it has no address in common with the whole.
   */
  blocksOf(cidr: Cidr): BlockRange {
    const { whole } = this;
    if (!overlap(whole, cidr)) {
      throw new TypeError(`cidr ${cidrText(cidr)} is out the range of cluster cidr ${cidrText(whole)}`);
    }
    if (cidr.prefix <= whole.prefix) return { first: 0, last: this.count - 1 };
    const index = (address: bigint) => Number(address - whole.base >> this.#hostBits);
    return { first: index(cidr.base), last: index(lastAddress(cidr)) };
  }

  get #hostBits(): bigint {
    return BigInt(bitsOf(this.whole.family) - this.blockPrefix);
  }
}
