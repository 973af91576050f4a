import ipaddr from "ipaddr.js";
import type { Pod } from "../../api/mod.ts";

/** An IP address and its family. */
export interface IpAddress {
  readonly family: "IPv4" | "IPv6";
  /** In its canonical form. */
  readonly text: string;
}

const DOTTED = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/;
const DOTTED_TAIL = /^([\da-fA-F:]*:)(\d+\.\d+\.\d+\.\d+)$/;

/**
 * Reads an address with Kubernetes' legacy rules: leading zeros in IPv4 are ignored, and an IPv4 address written as
 * IPv6 is IPv4.
 * Upstream: `k8s.io/utils/net` (ParseIPSloppy).
 *
 * @returns `undefined` if it is malformed or has a zone.
 *
 * @example
 * ```ts
 * import { canonicalAddress } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(canonicalAddress("010.0.0.1"), { family: "IPv4", text: "10.0.0.1" });
 * assertEquals(canonicalAddress("FD00:0::5"), { family: "IPv6", text: "fd00::5" });
 * ```
 */
export function canonicalAddress(text: string): IpAddress | undefined {
  const bytes = dottedBytes(text);
  if (bytes) return { family: "IPv4", text: bytes.join(".") };
  const groups = withoutDots(text);
  if (groups === undefined || !ipaddr.IPv6.isValid(groups)) return undefined;
  const address = ipaddr.IPv6.parse(groups);
  if (address.zoneId) return undefined;
  return address.isIPv4MappedAddress()
    ? { family: "IPv4", text: address.toIPv4Address().toString() }
    : { family: "IPv6", text: address.toRFC5952String() };
}

/** A pod's addresses, without malformed ones. */
export function podAddresses({ status }: Pod): IpAddress[] {
  const texts = status?.podIPs ?? [];
  return texts.map(({ ip }) => canonicalAddress(ip)).filter((address) => address !== undefined);
}

function dottedBytes(text: string): number[] | undefined {
  const bytes = DOTTED.exec(text)?.slice(1).map(Number);
  return bytes?.every((byte) => byte <= 255) ? bytes : undefined;
}

/** Converts a dotted IPv4 tail to two groups; `undefined` if its numbers are not bytes. */
function withoutDots(text: string): string | undefined {
  const [, head, tail] = DOTTED_TAIL.exec(text) ?? [];
  if (tail === undefined) return text;
  const bytes = dottedBytes(tail);
  return bytes && `${head}${(bytes[0] * 256 + bytes[1]).toString(16)}:${(bytes[2] * 256 + bytes[3]).toString(16)}`;
}
