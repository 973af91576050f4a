import { addressText, bitsOf, type Family, parseAddress } from "./address.ts";

/** A range of addresses that share their first bits. */
export interface Prefix {
  readonly family: Family;
  /** The network's own address: all bits after the shared ones are 0. */
  readonly first: bigint;
  /** Its last address; for IPv4, the broadcast address. */
  readonly last: bigint;
  /** How many bits its addresses share. */
  readonly length: number;
}

/**
 * Reads a range such as `10.0.0.0/8`. Bits after the prefix count as 0.
 *
 * @returns `undefined` if the text is not a range.
 *
 * @example
 * ```ts
 * import { parsePrefix, prefixText } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(prefixText(parsePrefix("10.244.3.7/16")!), "10.244.0.0/16");
 * ```
 */
export function parsePrefix(text: string): Prefix | undefined {
  const slash = text.indexOf("/");
  const address = parseAddress(text.slice(0, Math.max(slash, 0)));
  const digits = text.slice(slash + 1);
  if (!address || !/^(0|[1-9]\d{0,2})$/.test(digits) || Number(digits) > bitsOf(address.family)) return undefined;
  const { family, value } = address;
  const hostBits = BigInt(bitsOf(family) - Number(digits));
  const first = value >> hostBits << hostBits;
  return { family, first, last: first + (1n << hostBits) - 1n, length: Number(digits) };
}

/** A range as Go writes it. */
export function prefixText({ family, first, length }: Prefix): string {
  return `${addressText({ family, value: first })}/${length}`;
}

/** Whether two ranges have an address in common; one of them then contains the other. */
export function overlap(a: Prefix, b: Prefix): boolean {
  return a.family === b.family && a.first <= b.last && b.first <= a.last;
}

/** Whether all addresses of `inner` are in `outer`; each range contains itself. */
export function contains(outer: Prefix, inner: Prefix): boolean {
  return overlap(outer, inner) && outer.length <= inner.length;
}
