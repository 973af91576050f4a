import ipaddr from "ipaddr.js";

/** As `spec.ipFamilies` names them. */
export type Family = "IPv4" | "IPv6";

/** An address as a number of its family's width. */
export interface Address {
  readonly family: Family;
  readonly value: bigint;
}

const BITS: Readonly<Record<Family, number>> = { IPv4: 32, IPv6: 128 };
/** No address is longer. */
const LONGEST = 45;

/** How many bits an address of the family has. */
export function bitsOf(family: Family): number {
  return BITS[family];
}

/**
 * Reads an address.
 *
 * @returns `undefined` if the text is not an address, or one with a zone.
 *
 * @example
 * ```ts
 * import { addressText, parseAddress } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(parseAddress("10.0.0.1"), { family: "IPv4", value: 0x0a000001n });
 * assertEquals(addressText(parseAddress("FD00:0::5")!), "fd00::5");
 * assertEquals(parseAddress("fe80::1%eth0"), undefined);
 * ```
 */
export function parseAddress(text: string): Address | undefined {
  if (text.length > LONGEST || text.includes("%")) return undefined;
  const family = text.includes(":") ? "IPv6" : "IPv4";
  const isValid = family === "IPv6" ? ipaddr.IPv6.isValid(text) : ipaddr.IPv4.isValidFourPartDecimal(text);
  if (!isValid) return undefined;
  return { family, value: ipaddr.parse(text).toByteArray().reduce((sum, byte) => sum << 8n | BigInt(byte), 0n) };
}

/** An address as Go writes it: the shortest form, in lower case. */
export function addressText({ family, value }: Address): string {
  const bits = BITS[family];
  const bytes = Array.from({ length: bits / 8 }, (_, i) => Number(value >> BigInt(bits - 8 * (i + 1)) & 255n));
  return ipaddr.fromByteArray(bytes).toString();
}
