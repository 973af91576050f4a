import { type Address, addressText, type Family, parseAddress, parsePrefix, prefixText } from "../../../ip/mod.ts";
import type { FieldErrors } from "./field_errors.ts";

/** Whether it is an IPv4 address in IPv6 form, such as `::ffff:1.2.3.4`. */
function isMapped({ family, value }: Address): boolean {
  return family === "IPv6" && value >> 32n === 0xffffn;
}

/** An IPv4 address in either form as one of four bytes; other addresses as they are. */
function unmapped(address: Address): Address {
  return isMapped(address) ? { family: "IPv4", value: address.value & 0xffffffffn } : address;
}

export function familyOf(text: string): Family | undefined {
  const address = parseAddress(text);
  return address && unmapped(address).family;
}

/** An address in an old field, whose existing values may stay. */
export function validateAddress(
  text: string,
  at: string,
  errors: FieldErrors,
  before: readonly string[] = [],
): boolean {
  if (before.includes(text)) return true;
  const address = parseAddress(text);
  if (!address) errors.invalid(at, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
  else if (isMapped(address)) errors.invalid(at, text, "must not be an IPv4-mapped IPv6 address");
  else return true;
  return false;
}

/** An address in a newer field, which must be in canonical form. */
export function validateCanonicalAddress(text: string, at: string, errors: FieldErrors): void {
  if (!validateAddress(text, at, errors)) return;
  const canonical = addressText(parseAddress(text)!);
  if (canonical !== text) errors.invalid(at, text, `must be in canonical form ("${canonical}")`);
}

export function validateRange(text: string, at: string, errors: FieldErrors, before: readonly string[] = []): boolean {
  if (before.includes(text)) return true;
  const range = parsePrefix(text);
  const start = parseAddress(text.split("/")[0]);
  if (!range || !start) errors.invalid(at, text, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
  else if (isMapped(start)) errors.invalid(at, text, "must not have an IPv4-mapped IPv6 address");
  else if (range.first !== start.value) errors.invalid(at, text, "must not have bits set beyond the prefix length");
  else return true;
  return false;
}

export function validateCanonicalRange(text: string, at: string, errors: FieldErrors): void {
  if (!validateRange(text, at, errors)) return;
  const canonical = prefixText(parsePrefix(text)!);
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
