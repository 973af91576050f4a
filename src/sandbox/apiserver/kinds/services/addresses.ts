import type { Service } from "../../../../api/mod.ts";
import { addressText, type Family, parseAddress, parsePrefix, type Prefix, prefixText } from "../../../../ip/mod.ts";
import type { Store } from "../../../storage/mod.ts";
import { type Environment, nowText, type Stored } from "../../traits/mod.ts";
import { familyOf } from "../../validation/mod.ts";

const IP_ADDRESSES = "ipaddresses.networking.k8s.io";

/** All offsets in a store's service range below this one are taken; the search for a free address starts here. */
const hints = new WeakMap<Store, number>();

/** The service range; its first address belongs to the API server. */
function rangeOf({ options }: Environment): Prefix {
  const range = parsePrefix(options.serviceCidr);
  if (!range) throw new Error(`Cannot allocate a service address: "${options.serviceCidr}" is not an address range`);
  return range;
}

export function defaultFamily({ options }: Environment): Family {
  return familyOf(options.serviceCidr.split("/")[0]) ?? "IPv4";
}

function offsetOf(address: string, { family, first, last }: Prefix): bigint | undefined {
  const parsed = parseAddress(address);
  return parsed?.family === family && parsed.value > first && parsed.value <= last ? parsed.value - first : undefined;
}

function canonical(address: string): string {
  const parsed = parseAddress(address);
  return parsed ? addressText(parsed) : "";
}

/** Why a Service cannot have the requested address; `undefined` if it can. */
export function addressProblem(state: Environment, address: string): string | undefined {
  const range = rangeOf(state);
  const offset = offsetOf(address, range);
  if (offset === undefined) return "the provided network does not match the current range";
  if (range.first + offset === range.last && range.family === "IPv4") {
    return `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${prefixText(range)}`;
  }
  return state.store.get(IP_ADDRESSES, canonical(address)) ? "provided IP is already allocated" : undefined;
}

/** The lowest free address in the service range; `undefined` if there is none. */
export function freeAddress(state: Environment): string | undefined {
  const { family, first, last } = rangeOf(state);
  for (let offset = BigInt(hints.get(state.store) ?? 2); first + offset < last; offset++) {
    const address = addressText({ family, value: first + offset });
    if (!state.store.get(IP_ADDRESSES, address)) {
      hints.set(state.store, Number(offset));
      return address;
    }
  }
  return undefined;
}

export function addressesOf({ spec }: Service): readonly string[] {
  if (!spec || spec.type === "ExternalName") return [];
  return (spec.clusterIPs ?? []).filter((address) => address !== "" && address !== "None");
}

/** Stores an IPAddress for each address of a Service that does not have one yet. */
export function recordAddresses(state: Environment, service: Stored<Service>): void {
  const { metadata } = service;
  for (const text of addressesOf(service)) {
    const name = canonical(text);
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
    state.store.remove(IP_ADDRESSES, canonical(address));
    const offset = offsetOf(address, range);
    if (offset !== undefined && offset >= 2n && Number(offset) < (hints.get(state.store) ?? 2)) {
      hints.set(state.store, Number(offset));
    }
  }
}
