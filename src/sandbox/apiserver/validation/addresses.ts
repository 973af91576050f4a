import {
  type Address as PlainAddress,
  addressText,
  bitsOf,
  type Family,
  parseAddress as parse,
} from "../../../ip/mod.ts";
import type { FieldErrors } from "./field_errors.ts";

/** An address, perhaps in a spelling that only old data may have. */
export interface Address extends PlainAddress {
  /** Whether a decimal number has leading zeros. */
  readonly hasLeadingZeros: boolean;
}

const LEADING_ZEROS = /(?<!\d)0+(?=\d)/g;

/** Parses an IPv4 or IPv6 address; numbers with leading zeros are decimal, as in upstream's lenient parser. */
export function parseAddress(text: string): Address | undefined {
  const start = text.lastIndexOf(":") + 1;
  const last = text.slice(start);
  const usual = last.includes(".") ? last.replace(LEADING_ZEROS, "") : last;
  const address = parse(text.slice(0, start) + usual);
  return address && { ...address, hasLeadingZeros: usual !== last };
}

/** Whether it is an IPv4 address in IPv6 form, such as `::ffff:1.2.3.4`. */
export function isMapped({ family, value }: PlainAddress): boolean {
  return family === "IPv6" && value >> 32n === 0xffffn;
}

/** An IPv4 address in either form as one of four bytes; other addresses as they are. */
export function unmapped(address: PlainAddress): PlainAddress {
  return isMapped(address) ? { family: "IPv4", value: address.value & 0xffffffffn } : address;
}

export function familyOf(text: string): Family | undefined {
  const address = parseAddress(text);
  return address && unmapped(address).family;
}

const NO_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const NO_RANGE = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/** An address in an old field, whose existing values may stay. */
export function validateAddress(
  text: string,
  at: string,
  errors: FieldErrors,
  before: readonly string[] = [],
): boolean {
  if (before.includes(text)) return true;
  const count = errors.count;
  const address = parseAddress(text);
  if (!address) errors.invalid(at, text, NO_ADDRESS);
  else {
    if (address.hasLeadingZeros) errors.invalid(at, text, "must not have leading 0s");
    if (isMapped(address)) errors.invalid(at, text, "must not be an IPv4-mapped IPv6 address");
  }
  return errors.count === count;
}

/** An address in a newer field, which must be in canonical form. */
export function validateCanonicalAddress(text: string, at: string, errors: FieldErrors): void {
  if (!validateAddress(text, at, errors)) return;
  const canonical = addressText(parseAddress(text)!);
  if (canonical !== text) errors.invalid(at, text, `must be in canonical form ("${canonical}")`);
}

/** An address and the number of bits of its network. */
export interface AddressRange extends Address {
  readonly bits: number;
}

export function parseRange(text: string): AddressRange | undefined {
  const [, start, length] = /^([^/]*)\/(\d+)$/.exec(text) ?? [];
  const address = start === undefined ? undefined : parseAddress(start);
  if (!address || Number(length) > bitsOf(address.family)) return undefined;
  return { ...address, bits: Number(length), hasLeadingZeros: address.hasLeadingZeros || /^0\d/.test(length) };
}

/** The address of a range with all bits beyond its prefix cleared. */
export function networkOf({ family, value, bits }: AddressRange): PlainAddress {
  const hostBits = BigInt(bitsOf(family) - bits);
  return { family, value: value >> hostBits << hostBits };
}

export function validateRange(text: string, at: string, errors: FieldErrors, before: readonly string[] = []): boolean {
  if (before.includes(text)) return true;
  const range = parseRange(text);
  if (!range) errors.invalid(at, text, NO_RANGE);
  else if (range.hasLeadingZeros) errors.invalid(at, text, "must not have leading 0s in IP or prefix length");
  else if (isMapped(range)) errors.invalid(at, text, "must not have an IPv4-mapped IPv6 address");
  else if (networkOf(range).value !== range.value) {
    errors.invalid(at, text, "must not have bits set beyond the prefix length");
  } else return true;
  return false;
}

export function validateCanonicalRange(text: string, at: string, errors: FieldErrors): void {
  if (!validateRange(text, at, errors)) return;
  const range = parseRange(text)!;
  const canonical = `${addressText(networkOf(range))}/${range.bits}`;
  if (canonical !== text) errors.invalid(at, text, `must be in canonical form ("${canonical}")`);
}

/** Rejects addresses that are unreachable from other machines. Upstream: ValidateEndpointIP. */
export function validateReachable(text: string, at: string, errors: FieldErrors): void {
  const address = parseAddress(text);
  if (!address) return errors.invalid(at, text, "must be a valid IP address");
  const { family, value } = unmapped(address);
  const isV4 = family === "IPv4";
  const kinds: ReadonlyArray<readonly [isIt: boolean, kind: string]> = [
    [value === 0n, "unspecified"],
    [isV4 ? value >> 24n === 127n : value === 1n, "a loopback address"],
    [isV4 ? value >> 16n === 0xa9fen : value >> 118n === 0x3fan, "a link-local address"],
    [isV4 ? value >> 8n === 0xe00000n : (value >> 112n & 0xff0fn) === 0xff02n, "a link-local multicast address"],
  ];
  for (const [isIt, kind] of kinds) if (isIt) errors.invalid(at, text, `may not be ${kind}`);
}

/** Whether there is exactly one address of each family. */
export function isDualStack(texts: readonly string[]): boolean {
  const families = texts.map(familyOf);
  return families.includes("IPv4") && families.includes("IPv6");
}
