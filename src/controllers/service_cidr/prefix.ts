import ipaddr from "ipaddr.js";

/** An address as a number of its family's width. */
export interface Address {
  readonly family: "IPv4" | "IPv6";
  readonly value: bigint;
}

/** A range of addresses that begin with the same bits. */
export interface Prefix {
  readonly family: Address["family"];
  /** Its first address, which names the network. */
  readonly first: bigint;
  /** Its last address; of IPv4 that is for broadcasts. */
  readonly last: bigint;
  /** How many bits its addresses have in common. */
  readonly length: number;
}

const WIDTH = { IPv4: 32, IPv6: 128 } as const;
/** No address is longer, and no number of bits has more digits. */
const LONGEST = 50;

/** The address that a text says; `undefined` if it is none, or belongs to one link of a node only. */
export function parseAddress(text: string): Address | undefined {
  if (text.length > LONGEST || text.includes("%")) return undefined;
  const family = text.includes(":") ? "IPv6" : "IPv4";
  const isValid = family === "IPv6" ? ipaddr.IPv6.isValid(text) : ipaddr.IPv4.isValidFourPartDecimal(text);
  if (!isValid) return undefined;
  const bytes = ipaddr.parse(text).toByteArray();
  return { family, value: bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n) };
}

/** The range that a text such as `10.0.0.0/8` says; `undefined` if it is none. */
export function parsePrefix(text: string): Prefix | undefined {
  const [, address, digits] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text.slice(0, LONGEST)) ?? [];
  const parsed = address === undefined ? undefined : parseAddress(address);
  const length = Number(digits);
  if (!parsed || length > WIDTH[parsed.family]) return undefined;
  const { family, value } = parsed;
  const hostBits = BigInt(WIDTH[family] - length);
  const first = (value >> hostBits) << hostBits;
  return { family, first, last: first + (1n << hostBits) - 1n, length };
}

/** Whether two ranges have an address in common; one of them then contains the other. */
export function overlap(a: Prefix, b: Prefix): boolean {
  return a.family === b.family && a.first <= b.last && b.first <= a.last;
}

/** Whether all addresses of `inner` are in `outer`; each range contains itself. */
export function containsPrefix(outer: Prefix, inner: Prefix): boolean {
  return overlap(outer, inner) && outer.length <= inner.length;
}

/**
 * Whether a Service can have the address from this range: the network's own address and IPv4's for broadcasts are given to none.
 * Upstream: `pkg/api/servicecidr/servicecidr.go` (PrefixContainsIP).
 *
 * @example
 * ```ts
 * import { containsAddress, parseAddress, parsePrefix } from "./prefix.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const range = parsePrefix("192.168.0.0/24")!;
 * const texts = ["192.168.0.0", "192.168.0.1", "192.168.0.255", "192.168.1.1"];
 * assertEquals(texts.map((text) => containsAddress(range, parseAddress(text)!)), [false, true, false, false]);
 * ```
 */
export function containsAddress({ family, first, last }: Prefix, address: Address): boolean {
  if (family !== address.family || address.value === first) return false;
  if (family === "IPv4" && address.value === last) return false;
  return first < address.value && address.value <= last;
}
