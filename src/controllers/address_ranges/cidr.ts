import ipaddr from "ipaddr.js";

/** 4 or 6, as in IPv4. */
export type Family = 4 | 6;

/** A range of addresses that share their first bits. */
export interface Cidr {
  readonly family: Family;
  /** Its first address: all bits after the prefix are 0. */
  readonly base: bigint;
  /** How many bits its addresses share. */
  readonly prefix: number;
}

const BITS: Readonly<Record<Family, number>> = { 4: 32, 6: 128 };
/** How an IPv4 address begins when it is written as an IPv6 one. */
const MAPPED_PREFIX = 96;
const MAPPED = 0xffffn;

/** How long the family's addresses are, in bits. */
export function bitsOf(family: Family): number {
  return BITS[family];
}

/**
 * Reads a range. Numbers in an IPv4 address may have leading zeros, and bits after the prefix count as 0.
 * Upstream: `k8s.io/utils/net` (ParseCIDRSloppy).
 *
 * @throws {TypeError} If it is malformed.
 *
 * @example
 * ```ts
 * import { cidrText, parseCidr } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(cidrText(parseCidr("10.244.3.7/16")), "10.244.0.0/16");
 * assertEquals(cidrText(parseCidr("2001:DB8:0:0::/48")), "2001:db8::/48");
 * ```
 */
export function parseCidr(text: string): Cidr {
  const slash = text.indexOf("/");
  const [address, length] = slash < 0 ? [text, ""] : [text.slice(0, slash), text.slice(slash + 1)];
  const family = address.includes(":") ? 6 : 4;
  const value = family === 6 ? parseAddress6(address) : parseAddress4(address);
  const prefix = /^\d{1,3}$/.test(length) ? Number(length) : Infinity;
  if (value === undefined || prefix > BITS[family]) throw new TypeError(`invalid CIDR address: ${text}`);
  if (family === 6 && prefix >= MAPPED_PREFIX && value >> 32n === MAPPED) {
    return masked(4, value & 0xffffffffn, prefix - MAPPED_PREFIX);
  }
  return masked(family, value, prefix);
}

function masked(family: Family, address: bigint, prefix: number): Cidr {
  const hostBits = BigInt(BITS[family] - prefix);
  return { family, base: address >> hostBits << hostBits, prefix };
}

function parseAddress4(text: string): bigint | undefined {
  const octets = text.split(".");
  if (octets.length !== 4 || !octets.every((octet) => /^\d{1,9}$/.test(octet) && Number(octet) < 256)) return undefined;
  return octets.reduce((address, octet) => address << 8n | BigInt(octet), 0n);
}

function parseAddress6(text: string): bigint | undefined {
  if (text.includes("%") || !ipaddr.IPv6.isValid(text)) return undefined;
  return ipaddr.IPv6.parse(text).parts.reduce((address, part) => address << 16n | BigInt(part), 0n);
}

/** As Go writes it: the shortest form, in lower case. */
export function cidrText({ family, base, prefix }: Cidr): string {
  const bytes = Array.from(
    { length: BITS[family] / 8 },
    (_, i) => Number(base >> BigInt(BITS[family] - 8 * (i + 1)) & 255n),
  );
  return `${ipaddr.fromByteArray(bytes).toString()}/${prefix}`;
}

/** Its last address. */
export function lastAddress({ family, base, prefix }: Cidr): bigint {
  return base | (1n << BigInt(BITS[family] - prefix)) - 1n;
}

/** Whether they have an address in common; one of them then contains the other. */
export function overlap(a: Cidr, b: Cidr): boolean {
  return a.family === b.family && a.base <= lastAddress(b) && b.base <= lastAddress(a);
}

/** Whether there is at least one range of each family. */
export function isDualStack(cidrs: readonly Cidr[]): boolean {
  return cidrs.some(({ family }) => family === 4) && cidrs.some(({ family }) => family === 6);
}

/**
 * A canonical key for an address: its family, a space, its number.
 * Upstream: `k8s.io/utils/net` (ParseIPSloppy).
 *
 * @returns `undefined` if it is malformed.
 */
export function parseAddress(text: string): string | undefined {
  try {
    const { family, base } = parseCidr(`${text}/${bitsOf(text.includes(":") ? 6 : 4)}`);
    return `${family} ${base}`;
  } catch {
    return undefined;
  }
}
