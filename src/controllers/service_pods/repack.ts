import { compareUtf8 } from "../../base/mod.ts";
import type { EndpointAddress, EndpointPort, EndpointSubset } from "../../api/mod.ts";
import { portHash, subsetHash } from "./subset_hash.ts";

/** Addresses that the repacked subsets may have all together; more is more than any API server would store. */
const MOST_ADDRESSES = 1_000_000;

/** Subsets that come to more addresses than anybody could write. */
export class TooManyAddressesError extends Error {
  override readonly name = "TooManyAddressesError";
}

/** An address, and whether it is ready on a port. */
interface Readiness {
  readonly key: string;
  readonly ready: boolean;
}

/** Ports that occur in the same subsets, and so have the same addresses. */
interface PortGroup {
  readonly ports: EndpointPort[];
  readonly subsets: number[];
}

/**
 * Brings subsets into the one form that equal endpoints always have, a step an address: each distinct port once, ports with
 * the same addresses together, all in upstream's order. An address that is both is not ready. Upstream:
 * `pkg/api/v1/endpoints/util.go` (RepackSubsets).
 *
 * @throws {TooManyAddressesError} If the result had over a million addresses: a megabyte of subsets can multiply to billions.
 */
export function* repackSubsets(subsets: readonly EndpointSubset[]): Generator<void, EndpointSubset[]> {
  const addresses = new Map<string, EndpointAddress>();
  /** By what addresses they have. */
  const merged = new Map<string, { readonly members: readonly Readiness[]; readonly ports: EndpointPort[] }>();
  let total = 0;
  for (const group of yield* portGroups(subsets)) {
    const members = yield* membersOf(group.subsets.map((i) => subsets[i]), addresses);
    if (members.length === 0) continue;
    total += members.length;
    if (total > MOST_ADDRESSES) {
      throw new TooManyAddressesError(
        `cannot repack ${subsets.length} subsets: together they have more than ${MOST_ADDRESSES} addresses`,
      );
    }
    const key = members.map(({ key, ready }) => `${ready ? "+" : "-"}${key}`).join("\n");
    const found = merged.get(key);
    if (found) found.ports.push(...group.ports);
    else merged.set(key, { members, ports: [...group.ports] });
  }
  const repacked: { readonly subset: EndpointSubset; readonly hash: string }[] = [];
  for (const { members, ports } of merged.values()) {
    const subset = subsetOf(members, ports, addresses);
    repacked.push({ subset, hash: merged.size > 1 ? yield* subsetHash(subset) : "" });
  }
  return repacked.sort((a, b) => compareUtf8(a.hash, b.hash)).map(({ subset }) => subset);
}

function subsetOf(
  members: readonly Readiness[],
  ports: EndpointPort[],
  addresses: ReadonlyMap<string, EndpointAddress>,
): EndpointSubset {
  const those = (wanted: boolean) =>
    members.filter(({ ready }) => ready === wanted).map(({ key }) => addresses.get(key)!);
  const [ready, notReady] = [those(true), those(false)];
  return {
    ...ready.length > 0 && { addresses: ready },
    ...notReady.length > 0 && { notReadyAddresses: notReady },
    ...ports.length > 0 && { ports: inHashOrder(ports) },
  };
}

function inHashOrder(ports: readonly EndpointPort[]): EndpointPort[] {
  if (ports.length < 2) return [...ports];
  const hashed = ports.map((port) => ({ port, hash: portHash(port) }));
  return hashed.sort((a, b) => compareUtf8(a.hash, b.hash)).map(({ port }) => port);
}

/** Each distinct port once; that of subsets without ports is none. */
function* portGroups(subsets: readonly EndpointSubset[]): Generator<void, Iterable<PortGroup>> {
  const byPort = new Map<string, { readonly port: EndpointPort | undefined; readonly subsets: Set<number> }>();
  for (const [i, { ports = [] }] of subsets.entries()) {
    for (const port of ports.length > 0 ? ports : [undefined]) {
      const key = port ? JSON.stringify([port.name ?? "", port.port, port.protocol, port.appProtocol ?? null]) : "";
      const found = byPort.get(key);
      if (found) found.subsets.add(i);
      else byPort.set(key, { port, subsets: new Set([i]) });
      yield;
    }
  }
  const groups = new Map<string, PortGroup>();
  for (const { port, subsets } of byPort.values()) {
    const indices = [...subsets];
    const key = indices.join();
    let group = groups.get(key);
    if (!group) groups.set(key, group = { ports: [], subsets: indices });
    if (port) group.ports.push(port);
    yield;
  }
  return groups.values();
}

/** The addresses of these subsets, each once, sorted. */
function* membersOf(
  subsets: readonly EndpointSubset[],
  addresses: Map<string, EndpointAddress>,
): Generator<void, Readiness[]> {
  const readiness = new Map<string, boolean>();
  for (const { addresses: ready, notReadyAddresses: notReady } of subsets) {
    for (const [list, isReady] of [[ready ?? [], true], [notReady ?? [], false]] as const) {
      for (const address of list) {
        const key = sortKey(address);
        if (!addresses.has(key)) addresses.set(key, address);
        if (readiness.get(key) !== false) readiness.set(key, isReady);
        yield;
      }
    }
  }
  return [...readiness].sort(([a], [b]) => compareUtf8(a, b)).map(([key, ready]) => ({ key, ready }));
}

/** Tells addresses apart, and sorts them by IP, then those without a target first, then by its uid. */
function sortKey({ ip, targetRef }: EndpointAddress): string {
  return targetRef?.uid ? `${ip}\0${targetRef.uid}` : ip;
}
