const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * The 32-bit FNV-1a hash of `bytes`: exclusive or, then multiply. `hash` continues an earlier result.
 *
 * @example
 * ```ts
 * import { fnv1a32 } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(fnv1a32(new TextEncoder().encode("foobar")), 0xbf9cf968);
 * ```
 */
export function fnv1a32(bytes: Uint8Array, hash: number = OFFSET): number {
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i], PRIME);
  return hash >>> 0;
}

/** The 32-bit FNV-1 hash of `bytes`: multiply, then exclusive or. `hash` continues an earlier result. */
export function fnv1_32(bytes: Uint8Array, hash: number = OFFSET): number {
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash, PRIME) ^ bytes[i];
  return hash >>> 0;
}

const LIMBS = 8;
/** The offset basis in limbs of 16 bits, the lowest first. */
const OFFSET_128 = [0xc58d, 0x6295, 0x2175, 0x62b8, 0x0142, 0x07bb, 0x272e, 0x6c62] as const;
/** The prime is this and 2^88. */
const PRIME_128_LOW = 0x13b;

/**
 * The 128-bit FNV-1a hash of bytes that come in parts.
 *
 * @example
 * ```ts
 * import { Fnv1a128 } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const hash = new Fnv1a128();
 * hash.update(new TextEncoder().encode("foo"));
 * hash.update(new TextEncoder().encode("bar"));
 * assertEquals(hash.hex, "343e1662793c64bf6f0d3597ba446f18");
 * ```
 */
export class Fnv1a128 {
  readonly #limbs = Uint32Array.from(OFFSET_128);

  update(bytes: Uint8Array): void {
    const h = this.#limbs;
    for (let n = 0; n < bytes.length; n++) {
      h[0] ^= bytes[n];
      let carry = 0;
      // From the highest limb down, because the multiplication by 2^88 needs the old values.
      const [h0, h1, h2] = [h[0], h[1], h[2]];
      for (let i = 0; i < LIMBS; i++) {
        const moved = i === 5 ? h0 : i === 6 ? h1 : i === 7 ? h2 : 0;
        const sum = h[i] * PRIME_128_LOW + moved * 256 + carry;
        h[i] = sum & 0xffff;
        carry = sum >>> 16;
      }
    }
  }

  /** The hash so far, as 32 hexadecimal digits. */
  get hex(): string {
    return Array.from(this.#limbs, (limb) => limb.toString(16).padStart(4, "0")).reverse().join("");
  }
}
