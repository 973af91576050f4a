import type { FieldErrors } from "./field_errors.ts";

/** The 4 or 16 bytes of an address, depending on how it was written. */
export interface Address {
  readonly bytes: readonly number[];
  /** Whether numbers have leading zeros, which only old data may have. */
  readonly hasLeadingZeros: boolean;
}

function parseIpv4(text: string): Address | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  const bytes = parts.map((part) => /^\d{1,}$/.test(part) ? Number(part) : NaN);
  if (bytes.some((byte) => !(byte <= 255))) return undefined;
  return { bytes, hasLeadingZeros: parts.some((part) => part.length > 1 && part.startsWith("0")) };
}

function parseGroups(text: string): number[] | undefined {
  if (text === "") return [];
  const groups = text.split(":");
  if (groups.some((group) => !/^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return groups.flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255]);
}

function parseIpv6(text: string): Address | undefined {
  let hasLeadingZeros = false;
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  if (tail) {
    const v4 = parseIpv4(tail[2]);
    if (!v4) return undefined;
    hasLeadingZeros = v4.hasLeadingZeros;
    const [a, b, c, d] = v4.bytes;
    text = `${tail[1]}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  }
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, rest] = halves.map(parseGroups);
  if (!head || (halves.length === 2 && !rest)) return undefined;
  if (!rest) return head.length === 16 ? { bytes: head, hasLeadingZeros } : undefined;
  const missing = 16 - head.length - rest.length;
  return missing >= 2 ? { bytes: [...head, ...new Array(missing).fill(0), ...rest], hasLeadingZeros } : undefined;
}

/** Parses an IPv4 or IPv6 address; numbers with leading zeros are decimal, as in upstream's lenient parser. */
export function parseAddress(text: string): Address | undefined {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

/** Whether it is an IPv4 address in IPv6 form, such as `::ffff:1.2.3.4`. */
export function isMapped({ bytes }: Address): boolean {
  return bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 &&
    bytes[11] === 255;
}

/** The four bytes of an IPv4 address in either form, otherwise all sixteen. */
export function plainBytes(address: Address): readonly number[] {
  return isMapped(address) ? address.bytes.slice(12) : address.bytes;
}

export function familyOf(text: string): "IPv4" | "IPv6" | undefined {
  const address = parseAddress(text);
  return address && (plainBytes(address).length === 4 ? "IPv4" : "IPv6");
}

/** The canonical form of an address: RFC 5952 for IPv6. */
export function formatAddress(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, i) => bytes[2 * i] * 256 + bytes[2 * i + 1]);
  let best = { start: -1, length: 1 };
  for (let i = 0; i < 8; i++) {
    let length = 0;
    while (i + length < 8 && groups[i + length] === 0) length++;
    if (length > best.length) best = { start: i, length };
  }
  const hex = groups.map((group) => group.toString(16));
  if (best.start < 0) return hex.join(":");
  return `${hex.slice(0, best.start).join(":")}::${hex.slice(best.start + best.length).join(":")}`;
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
  const canonical = formatAddress(parseAddress(text)!.bytes);
  if (canonical !== text) errors.invalid(at, text, `must be in canonical form ("${canonical}")`);
}

/** An address and the number of bits of its network. */
export interface AddressRange extends Address {
  readonly bits: number;
}

export function parseRange(text: string): AddressRange | undefined {
  const slash = text.indexOf("/");
  if (slash < 0) return undefined;
  const address = parseAddress(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (!address || !/^\d+$/.test(length)) return undefined;
  const bits = Number(length);
  if (bits > address.bytes.length * 8) return undefined;
  return {
    ...address,
    bits,
    hasLeadingZeros: address.hasLeadingZeros || (length.length > 1 && length.startsWith("0")),
  };
}

/** The bytes of a range, with all bits beyond its prefix cleared. */
export function networkOf({ bytes, bits }: AddressRange): number[] {
  return bytes.map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - 8 * i))) & 0xff);
}

function hasHostBits(range: AddressRange): boolean {
  return networkOf(range).some((byte, i) => byte !== range.bytes[i]);
}

export function validateRange(text: string, at: string, errors: FieldErrors, before: readonly string[] = []): boolean {
  if (before.includes(text)) return true;
  const range = parseRange(text);
  if (!range) errors.invalid(at, text, NO_RANGE);
  else if (range.hasLeadingZeros) errors.invalid(at, text, "must not have leading 0s in IP or prefix length");
  else if (isMapped(range)) errors.invalid(at, text, "must not have an IPv4-mapped IPv6 address");
  else if (hasHostBits(range)) errors.invalid(at, text, "must not have bits set beyond the prefix length");
  else return true;
  return false;
}

export function validateCanonicalRange(text: string, at: string, errors: FieldErrors): void {
  if (!validateRange(text, at, errors)) return;
  const range = parseRange(text)!;
  const canonical = `${formatAddress(networkOf(range))}/${range.bits}`;
  if (canonical !== text) errors.invalid(at, text, `must be in canonical form ("${canonical}")`);
}

/** Rejects addresses that are unreachable from other machines. Upstream: ValidateEndpointIP. */
export function validateReachable(text: string, at: string, errors: FieldErrors): void {
  const address = parseAddress(text);
  if (!address) return errors.invalid(at, text, "must be a valid IP address");
  const bytes = plainBytes(address);
  const isV4 = bytes.length === 4;
  const onlyLast = (last: number) => bytes.every((byte, i) => byte === (i === bytes.length - 1 ? last : 0));
  const [a, b, c] = bytes;
  const kinds: ReadonlyArray<readonly [isIt: boolean, kind: string]> = [
    [onlyLast(0), "unspecified"],
    [isV4 ? a === 127 : onlyLast(1), "a loopback address"],
    [isV4 ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80, "a link-local address"],
    [isV4 ? a === 224 && b === 0 && c === 0 : a === 0xff && (b & 0xf) === 2, "a link-local multicast address"],
  ];
  for (const [isIt, kind] of kinds) if (isIt) errors.invalid(at, text, `may not be ${kind}`);
}

/** Whether there is exactly one address of each family. */
export function isDualStack(texts: readonly string[]): boolean {
  const families = texts.map(familyOf);
  return families.includes("IPv4") && families.includes("IPv6");
}
