import { addressText, bitsOf } from "../../../../ip/mod.ts";
import { isMapped, networkOf, parseAddress, parseRange, quote, unmapped } from "../../validation/mod.ts";

/** Warnings about a valid address. Upstream: GetWarningsForIP. */
export function addressWarnings(text: string, at: string): string[] {
  const address = parseAddress(text);
  if (!address) return [];
  if (address.hasLeadingZeros || isMapped(address)) {
    const usual = quote(addressText(unmapped(address)));
    return [`${at}: non-standard IP address ${quote(text)} is invalid: use ${usual}`];
  }
  const canonical = addressText(address);
  if (canonical === text) return [];
  return [`${at}: IPv6 address ${quote(text)} should be in RFC 5952 canonical format (${quote(canonical)})`];
}

/** Like {@link addressWarnings}, for a range. Upstream: GetWarningsForCIDR. */
export function rangeWarnings(text: string, at: string): string[] {
  const range = parseRange(text);
  if (!range) return [];
  const network = `${addressText(networkOf(range))}/${range.bits}`;
  const out: string[] = [];
  if (networkOf(range).value !== range.value) {
    const single = `${addressText(range)}/${bitsOf(range.family)}`;
    const choice = `(should be ${quote(network)} or ${quote(single)}?)`;
    out.push(`${at}: CIDR value ${quote(text)} is ambiguous in this context ${choice}`);
  }
  if (range.hasLeadingZeros || isMapped(range)) {
    out.push(`${at}: non-standard CIDR value ${quote(text)} is invalid: use ${quote(network)}`);
  }
  const canonical = `${addressText(range)}/${range.bits}`;
  if (out.length > 0 || canonical === text) return out;
  return [`${at}: IPv6 CIDR value ${quote(text)} should be in RFC 5952 canonical format (${quote(canonical)})`];
}
