import ipaddr from "ipaddr.js";

/** As `spec.ipFamilies` names them. */
export type Family = "IPv4" | "IPv6";

/** An address as a number. */
export interface Address {
  readonly family: Family;
  readonly value: bigint;
}

/** Addresses from `first` to `last`, both included. */
export interface AddressRange {
  readonly family: Family;
  readonly first: bigint;
  readonly last: bigint;
  /** As it was written. */
  readonly text: string;
}

const BITS: Readonly<Record<Family, number>> = { IPv4: 32, IPv6: 128 };
/** No address is longer. */
const LONGEST = 45;
/** What an IPv4 address begins with where it is written as an IPv6 one. */
const MAPPED = 0xffffn;

/** The address that a text says; `undefined` if it is none, names a zone, or is an IPv4 address written as an IPv6 one. */
export function parseAddress(text: string): Address | undefined {
  if (text.length > LONGEST || text.includes("%")) return undefined;
  const family = text.includes(":") ? "IPv6" : "IPv4";
  const isValid = family === "IPv6" ? ipaddr.IPv6.isValid(text) : ipaddr.IPv4.isValidFourPartDecimal(text);
  if (!isValid) return undefined;
  const value = ipaddr.parse(text).toByteArray().reduce((sum, byte) => sum << 8n | BigInt(byte), 0n);
  return family === "IPv6" && value >> 32n === MAPPED ? undefined : { family, value };
}

/** As Kubernetes writes it: the shortest form, in lower case. */
export function addressText({ family, value }: Address): string {
  const bits = BITS[family];
  const bytes = Array.from({ length: bits / 8 }, (_, i) => Number(value >> BigInt(bits - 8 * (i + 1)) & 255n));
  return ipaddr.fromByteArray(bytes).toString();
}

/**
 * Reads a CIDR or two addresses.
 *
 * @throws {TypeError} Saying what is wrong with it.
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
  if (text.includes("%")) throw new TypeError("an address of a pool cannot belong to one link (%) only");
  return text.includes("/") ? parseCidr(text) : parsePair(text);
}

function parseCidr(text: string): AddressRange {
  const [, written, digits] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const address = written === undefined ? undefined : parseAddress(written);
  if (!address || Number(digits) > BITS[address.family]) throw new TypeError("it is no range such as 192.0.2.0/28");
  const { family, value } = address;
  const hostBits = BigInt(BITS[family] - Number(digits));
  const first = value >> hostBits << hostBits;
  if (first !== value) {
    const start = addressText({ family, value: first });
    throw new TypeError(`the range begins with ${start}: write ${start}/${digits}, or the addresses as first-last`);
  }
  return { family, first, last: first + (1n << hostBits) - 1n, text };
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
