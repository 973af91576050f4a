import ipaddr from "ipaddr.js";

/** As `spec.ipFamilies` names them. */
export type Family = "IPv4" | "IPv6";

/** An address as a number of its family's width. */
export interface Address {
  readonly family: Family;
  readonly value: bigint;
}

const BITS: Readonly<Record<Family, number>> = { IPv4: 32, IPv6: 128 };
/** No address is longer or has other characters: no zone, no hexadecimal byte. */
const CHARACTERS = /^[\da-fA-F:.]{2,45}$/;
/** A byte with leading zeros, as in `010.0.0.1`. */
const LEADING_ZERO = /(?<![\da-fA-F])0\d+(?:\.|$)/;

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
  if (!CHARACTERS.test(text) || (text.includes(".") && LEADING_ZERO.test(text))) return undefined;
  const family = text.includes(":") ? "IPv6" : "IPv4";
  // The library takes `::1.2.3.4` to be `::ffff:1.2.3.4`.
  const written = text.replace(/^::(?=\d+\.)/, "0::");
  const isValid = family === "IPv6" ? ipaddr.IPv6.isValid(written) : ipaddr.IPv4.isValidFourPartDecimal(written);
  if (!isValid) return undefined;
  return { family, value: ipaddr.parse(written).toByteArray().reduce((sum, byte) => sum << 8n | BigInt(byte), 0n) };
}

/** An address as Go writes it: the shortest form, in lower case. */
export function addressText({ family, value }: Address): string {
  const bits = BITS[family];
  const bytes = Array.from({ length: bits / 8 }, (_, i) => Number(value >> BigInt(bits - 8 * (i + 1)) & 255n));
  return ipaddr.fromByteArray(bytes).toString();
}
