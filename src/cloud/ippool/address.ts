import {
  type Address,
  addressText,
  type Family,
  parseAddress as parseAny,
  parsePrefix,
  prefixText,
} from "../../ip/mod.ts";

/** Addresses from `first` to `last`, both included. */
export interface AddressRange {
  readonly family: Family;
  readonly first: bigint;
  readonly last: bigint;
  /** As written in the configuration. */
  readonly text: string;
}

/** How an IPv4 address begins when it is written as an IPv6 one. */
const MAPPED = 0xffffn;

/** Reads an address; `undefined` if it is malformed, has a zone, or is an IPv4 address written as an IPv6 one. */
export function parseAddress(text: string): Address | undefined {
  const address = parseAny(text);
  return address?.family === "IPv6" && address.value >> 32n === MAPPED ? undefined : address;
}

/**
 * Reads a CIDR or two addresses.
 *
 * @throws {TypeError} Says what is wrong with it.
 *
 * @example
 * ```ts
 * import { parseRange } from "./address.ts";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * assertEquals(parseRange("10.0.0.0/30").last - parseRange("10.0.0.0-10.0.0.2").last, 1n);
 * assertThrows(() => parseRange("10.0.0.1/30"), TypeError, "begins with 10.0.0.0: write 10.0.0.0/30");
 * ```
 */
export function parseRange(text: string): AddressRange {
  if (text.includes("%")) throw new TypeError("an address of a pool cannot be limited to one link (%)");
  return text.includes("/") ? parseCidr(text) : parsePair(text);
}

function parseCidr(text: string): AddressRange {
  const range = parsePrefix(text);
  const address = parseAddress(text.split("/")[0]);
  if (!range || !address) throw new TypeError("it is not a range such as 192.0.2.0/28");
  const { family, first, last } = range;
  if (first !== address.value) {
    const start = addressText({ family, value: first });
    throw new TypeError(`the range begins with ${start}: write ${prefixText(range)}, or the addresses as first-last`);
  }
  return { family, first, last, text };
}

function parsePair(text: string): AddressRange {
  const parts = text.split("-").map((part) => part.trim());
  const [first, last] = parts.map(parseAddress);
  if (!first || !last || parts.length !== 2) {
    throw new TypeError("it is neither a CIDR such as 192.0.2.0/28 nor addresses such as 192.0.2.10-192.0.2.20");
  }
  if (first.family !== last.family) throw new TypeError("its first and last address must be of one family");
  if (first.value > last.value) throw new TypeError(`it is reversed: write ${parts[1]}-${parts[0]}`);
  return { family: first.family, first: first.value, last: last.value, text };
}

/** Whether the range holds the address. */
export function holds(range: AddressRange, { family, value }: Address): boolean {
  return range.family === family && range.first <= value && value <= range.last;
}
