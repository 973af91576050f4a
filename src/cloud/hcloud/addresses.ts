import { addressText as textOf, contains, parseAddress, parsePrefix, prefixText } from "../../ip/mod.ts";

/** An address as Go writes it; `undefined` if `text` is not one. */
export function addressText(text: string): string | undefined {
  const address = parseAddress(text);
  return address && textOf(address);
}

/** A range as Go writes it, with zeros after its prefix; `undefined` if `text` is not one. */
export function rangeText(text: string): string | undefined {
  const range = parsePrefix(text);
  return range && prefixText(range);
}

/** Whether the range `outer` contains all of `inner`. */
export function holds(outer: string, inner: string): boolean {
  const [outerRange, innerRange] = [parsePrefix(outer), parsePrefix(inner)];
  return outerRange !== undefined && innerRange !== undefined && contains(outerRange, innerRange);
}

/** The server's own address in a server's network: `2001:db8:1234::1` in `2001:db8:1234::/64`. */
export function hostAddress(network: string): string | undefined {
  const address = parseAddress(network.split("/")[0]);
  return address?.family === "IPv6" ? textOf({ ...address, value: address.value | 1n }) : undefined;
}
