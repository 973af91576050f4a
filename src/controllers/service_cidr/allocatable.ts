import type { Address, Prefix } from "../../ip/mod.ts";

/**
 * Whether a Service can have the address from this range: the network's own address and IPv4's broadcast address are
 * never allocated. Upstream: `pkg/api/servicecidr/servicecidr.go` (PrefixContainsIP).
 *
 * @example
 * ```ts
 * import { isAllocatable } from "./allocatable.ts";
 * import { parseAddress, parsePrefix } from "../../ip/mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const range = parsePrefix("192.168.0.0/24")!;
 * const texts = ["192.168.0.0", "192.168.0.1", "192.168.0.255", "192.168.1.1"];
 * assertEquals(texts.map((text) => isAllocatable(range, parseAddress(text)!)), [false, true, false, false]);
 * ```
 */
export function isAllocatable({ family, first, last }: Prefix, address: Address): boolean {
  if (family !== address.family || address.value === first) return false;
  if (family === "IPv4" && address.value === last) return false;
  return first < address.value && address.value <= last;
}
