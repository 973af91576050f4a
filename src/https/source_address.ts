/**
 * The sender of a connection: an IPv4 address, or the first 64 bits of an IPv6 address, whose rest one machine may
 * choose freely.
 *
 * @example
 * ```ts
 * import { sourceOf } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(sourceOf("::ffff:10.0.0.1"), "10.0.0.1");
 * assertEquals(sourceOf("2001:db8:1:2:3::4"), sourceOf("2001:db8:1:2:ffff::"));
 * ```
 */
export function sourceOf(address: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  if (!address.includes(":")) return address;
  const [head, tail] = address.replace(/%.*$/s, "").split("::");
  const groups = head.split(":").filter((group) => group !== "");
  // The two colons stand for zeros; the part after them only reaches the first four groups if it is long.
  const after = tail === undefined ? [] : tail.split(":").filter((group) => group !== "");
  while (tail !== undefined && groups.length + after.length < 8) groups.push("0");
  return [...groups, ...after].slice(0, 4).join(":");
}
