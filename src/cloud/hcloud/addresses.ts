import ipaddr from "ipaddr.js";

/** An address as Go writes it; `undefined` if `text` is none. */
export function addressText(text: string): string | undefined {
  if (text.includes("%")) return undefined;
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text).toString();
  return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text).toRFC5952String() : undefined;
}

/** A range with zeros behind its prefix, as Go writes it; `undefined` if `text` is none. */
export function rangeText(text: string): string | undefined {
  const [address, length, ...rest] = text.split("/");
  if (rest.length > 0 || !/^\d{1,3}$/.test(length ?? "")) return undefined;
  const canonical = addressText(address);
  if (canonical === undefined) return undefined;
  const bytes = ipaddr.parse(canonical).toByteArray();
  if (Number(length) > 8 * bytes.length) return undefined;
  const network = bytes.map((byte, i) => byte & prefixMask(Number(length) - 8 * i));
  return `${ipaddr.fromByteArray(network).toString()}/${Number(length)}`;
}

/** Of the byte that `bits` bits of a prefix are left for. */
function prefixMask(bits: number): number {
  return bits >= 8 ? 0xff : bits <= 0 ? 0 : 0xff << (8 - bits) & 0xff;
}

/** Whether the range `outer` holds all of `inner`; both as {@link rangeText} writes them. */
export function holds(outer: string, inner: string): boolean {
  const [outerAddress, outerLength] = outer.split("/");
  const [innerAddress, innerLength] = inner.split("/");
  if (outerAddress.includes(":") !== innerAddress.includes(":")) return false;
  return Number(outerLength) <= Number(innerLength) && rangeText(`${innerAddress}/${outerLength}`) === outer;
}

/** Of a server's network such as `2001:db8:1234::/64` the server's own address: `2001:db8:1234::1`. */
export function hostAddress(network: string): string | undefined {
  const [address] = network.split("/");
  if (addressText(address) === undefined || !address.includes(":")) return undefined;
  const bytes = ipaddr.IPv6.parse(address).toByteArray();
  bytes[15] |= 1;
  return addressText(ipaddr.fromByteArray(bytes).toString());
}
