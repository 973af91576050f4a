import {
  formatAddress,
  isMapped,
  networkOf,
  parseAddress,
  parseRange,
  plainBytes,
  quote,
} from "../../validation/mod.ts";

/** Warnings about a valid address. Upstream: GetWarningsForIP. */
export function addressWarnings(text: string, at: string): string[] {
  const address = parseAddress(text);
  if (!address) return [];
  if (address.hasLeadingZeros || isMapped(address)) {
    const usual = quote(formatAddress(plainBytes(address)));
    return [`${at}: non-standard IP address ${quote(text)} is invalid: use ${usual}`];
  }
  const canonical = formatAddress(address.bytes);
  if (canonical === text) return [];
  return [`${at}: IPv6 address ${quote(text)} should be in RFC 5952 canonical format (${quote(canonical)})`];
}

/** Like {@link addressWarnings}, for a range. Upstream: GetWarningsForCIDR. */
export function rangeWarnings(text: string, at: string): string[] {
  const range = parseRange(text);
  if (!range) return [];
  const network = `${formatAddress(networkOf(range))}/${range.bits}`;
  const out: string[] = [];
  if (networkOf(range).some((byte, i) => byte !== range.bytes[i])) {
    const single = `${formatAddress(range.bytes)}/${range.bytes.length * 8}`;
    const choice = `(should be ${quote(network)} or ${quote(single)}?)`;
    out.push(`${at}: CIDR value ${quote(text)} is ambiguous in this context ${choice}`);
  }
  if (range.hasLeadingZeros || isMapped(range)) {
    out.push(`${at}: non-standard CIDR value ${quote(text)} is invalid: use ${quote(network)}`);
  }
  if (out.length > 0 || `${formatAddress(range.bytes)}/${range.bits}` === text) return out;
  const canonical = quote(`${formatAddress(range.bytes)}/${range.bits}`);
  return [`${at}: IPv6 CIDR value ${quote(text)} should be in RFC 5952 canonical format (${canonical})`];
}
