import type { Service } from "../../../../api/mod.ts";
import type { Store } from "../../../storage/mod.ts";
import { type Environment, nowText, type Stored } from "../../traits/mod.ts";
import { familyOf, formatAddress, networkOf, parseAddress, parseRange } from "../../validation/mod.ts";

const IP_ADDRESSES = "ipaddresses.networking.k8s.io";

/** All offsets in a store's service range below this one are taken; the search for a free address starts here. */
const hints = new WeakMap<Store, number>();

/** The range of Services' addresses of a family. */
interface Range {
  readonly text: string;
  readonly base: bigint;
  readonly size: bigint;
  readonly bytes: number;
}

function toNumber(bytes: readonly number[]): bigint {
  return bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
}

function toBytes(value: bigint, length: number): number[] {
  return Array.from({ length }, (_, i) => Number((value >> BigInt(8 * (length - 1 - i))) & 255n));
}

/** The service range; its first address belongs to the API server. */
function rangeOf({ options }: Environment): Range {
  const range = parseRange(options.serviceCidr);
  if (!range) throw new Error(`Cannot allocate a service address: "${options.serviceCidr}" is not an address range`);
  const { length } = range.bytes;
  return {
    text: options.serviceCidr,
    base: toNumber(networkOf(range)),
    size: 1n << BigInt(8 * length - range.bits),
    bytes: length,
  };
}

export function defaultFamily({ options }: Environment): "IPv4" | "IPv6" {
  return familyOf(options.serviceCidr.split("/")[0]) ?? "IPv4";
}

function offsetOf(address: string, range: Range): bigint | undefined {
  const parsed = parseAddress(address);
  if (!parsed || parsed.bytes.length !== range.bytes) return undefined;
  const offset = toNumber(parsed.bytes) - range.base;
  return offset > 0n && offset < range.size ? offset : undefined;
}

/** Why a Service cannot have the requested address; `undefined` if it can. */
export function addressProblem(state: Environment, address: string): string | undefined {
  const range = rangeOf(state);
  const offset = offsetOf(address, range);
  if (offset === undefined) return "the provided network does not match the current range";
  if (offset === range.size - 1n && range.bytes === 4) {
    return `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${range.text}`;
  }
  const canonical = formatAddress(parseAddress(address)!.bytes);
  return state.store.get(IP_ADDRESSES, canonical) ? "provided IP is already allocated" : undefined;
}

/** The lowest free address in the service range; `undefined` if there is none. */
export function freeAddress(state: Environment): string | undefined {
  const range = rangeOf(state);
  for (let offset = BigInt(hints.get(state.store) ?? 2); offset < range.size - 1n; offset++) {
    const address = formatAddress(toBytes(range.base + offset, range.bytes));
    if (!state.store.get(IP_ADDRESSES, address)) {
      hints.set(state.store, Number(offset));
      return address;
    }
  }
  return undefined;
}

export function addressesOf({ spec }: Service | { spec?: Service["spec"] }): readonly string[] {
  if (!spec || spec.type === "ExternalName") return [];
  return (spec.clusterIPs ?? []).filter((address) => address !== "" && address !== "None");
}

/** Stores an IPAddress for each address of a Service that does not have one yet. */
export function recordAddresses(state: Environment, service: Stored<Service>): void {
  const { metadata } = service;
  for (const text of addressesOf(service)) {
    const name = formatAddress(parseAddress(text)?.bytes ?? []);
    if (state.store.get(IP_ADDRESSES, name)) continue;
    state.store.put(IP_ADDRESSES, name, {
      metadata: {
        name,
        uid: state.world.random.uuid(),
        creationTimestamp: nowText(state),
        labels: {
          "ipaddress.kubernetes.io/ip-family": familyOf(text) ?? "IPv4",
          "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
        },
      },
      spec: { parentRef: { resource: "services", namespace: metadata.namespace, name: metadata.name } },
    });
  }
}

/** Releases addresses that the Service no longer has. */
export function releaseAddresses(state: Environment, addresses: readonly string[]): void {
  const range = rangeOf(state);
  for (const address of addresses) {
    state.store.remove(IP_ADDRESSES, formatAddress(parseAddress(address)?.bytes ?? []));
    const offset = offsetOf(address, range);
    if (offset !== undefined && offset >= 2n && Number(offset) < (hints.get(state.store) ?? 2)) {
      hints.set(state.store, Number(offset));
    }
  }
}
