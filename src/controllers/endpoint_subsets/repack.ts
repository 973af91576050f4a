import { Fnv1a128, sortInSteps } from "../../base/mod.ts";
import type { EndpointAddress, EndpointPort, EndpointSubset } from "../../api/mod.ts";
import { AddressBook, type AddressSet, textOf, union } from "./address_book.ts";
import { dumpPort, dumpSubset } from "./go_dump.ts";

const encoder = new TextEncoder();
/** The most addresses that all groups of ports may have together: more than any API server stores. */
const MOST_ADDRESSES = 1_000_000;

/** Subsets with more addresses than could be written. */
export class TooManyAddressesError extends Error {
  override readonly name = "TooManyAddressesError";
}

/**
 * The canonical form of subsets: each address is in as few subsets as possible, each port in one. This is how upstream
 * writes Endpoints, including the order, which is by hash. Runs in steps, because there may be a hundred thousand
 * addresses or ports.
 *
 * - Ports with the same addresses and readiness share a subset. Addresses without a port form their own subset, unless
 *   some port has exactly the same ones.
 * - An address that is ready and not ready for the same port is not ready.
 *
 * Upstream: `pkg/api/v1/endpoints/util.go` (RepackSubsets).
 *
 * @throws {TooManyAddressesError} If it had over a million addresses: a megabyte of subsets can multiply to billions.
 *
 * @example
 * ```ts
 * import { repackSubsets } from "./mod.ts";
 * import { FakeClock, TurnBudget } from "../../base/mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const ports = [{ port: 80, protocol: "TCP" }];
 * const subsets = ["10.0.0.2", "10.0.0.1"].map((ip) => ({ addresses: [{ ip }], ports }));
 * const repacked = await new TurnBudget(new FakeClock()).run(repackSubsets(subsets));
 * assertEquals(repacked, [{ addresses: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }], ports }]);
 * ```
 */
export function* repackSubsets(subsets: readonly EndpointSubset[]): Generator<void, EndpointSubset[]> {
  const book = new AddressBook();
  const sets: AddressSet[] = [];
  for (const subset of subsets) sets.push(yield* book.read(subset));
  const repacked: Hashed<EndpointSubset>[] = [];
  const groups = [...(yield* portsByAddresses(yield* portUses(subsets), sets)).values()];
  for (const { set, ports } of groups) {
    const subset = yield* subsetOf(book, set, yield* sortedPorts(ports));
    repacked.push({ item: subset, hash: groups.length > 1 ? yield* hashOf(subset) : "" });
  }
  return repacked.sort(byHash).map(({ item }) => item);
}

/** A port, and the numbers of the subsets that have it. */
interface PortUse {
  /** Absent for addresses without ports. */
  readonly port?: EndpointPort;
  readonly subsets: Set<number>;
}

function* portUses(subsets: readonly EndpointSubset[]): Generator<void, PortUse[]> {
  const uses = new Map<string, PortUse>();
  const note = (key: string, port: EndpointPort | undefined, subset: number) => {
    const use = uses.get(key);
    if (use) use.subsets.add(subset);
    else uses.set(key, { port, subsets: new Set([subset]) });
  };
  for (const [i, { ports = [] }] of subsets.entries()) {
    if (ports.length === 0) note("", undefined, i);
    for (const port of ports) {
      note(JSON.stringify([port.port, port.name ?? "", port.protocol ?? "", port.appProtocol]), port, i);
      yield;
    }
  }
  return [...uses.values()];
}

/** Addresses, and the ports that all of them have. */
interface Group {
  readonly set: AddressSet;
  readonly ports: EndpointPort[];
}

/** The key of the empty set: a port without addresses is in no subset. */
const NOBODY = textOf(new Map());

function* portsByAddresses(uses: readonly PortUse[], sets: readonly AddressSet[]): Generator<void, Map<string, Group>> {
  // Most ports come from the same subsets, whose addresses are combined only once.
  const known = new Map<string, Group>();
  const groups = new Map<string, Group>();
  let total = 0;
  for (const { port, subsets } of uses) {
    const origin = [...subsets].join();
    let group = known.get(origin);
    if (!group) {
      const set = yield* union([...subsets].map((i) => sets[i]));
      total += set.size;
      if (total > MOST_ADDRESSES) {
        throw new TooManyAddressesError(
          `Cannot repack ${sets.length} subsets: together their ports have more than ${MOST_ADDRESSES} addresses`,
        );
      }
      const text = textOf(set);
      group = groups.get(text) ?? { set, ports: [] };
      groups.set(text, group);
      known.set(origin, group);
    }
    // Upstream treats a port of 0 or less as absent.
    if (port && port.port > 0) group.ports.push(port);
    yield;
  }
  groups.delete(NOBODY);
  return groups;
}

function* subsetOf(book: AddressBook, set: AddressSet, ports: EndpointPort[]): Generator<void, EndpointSubset> {
  const numbers = [...set];
  const those = (ready: boolean) => numbers.filter(([, isReady]) => isReady === ready).map(([i]) => book.at(i));
  const addresses = yield* sortInSteps(those(true), byIpAndUid);
  const notReadyAddresses = yield* sortInSteps(those(false), byIpAndUid);
  return {
    ...addresses.length > 0 && { addresses },
    ...notReadyAddresses.length > 0 && { notReadyAddresses },
    ...ports.length > 0 && { ports },
  };
}

function byIpAndUid(a: EndpointAddress, b: EndpointAddress): number {
  return byText(a.ip, b.ip) || byText(uidOf(a), uidOf(b));
}

/** Addresses without a target sort first. */
function uidOf({ targetRef }: EndpointAddress): string {
  return targetRef ? ` ${targetRef.uid ?? ""}` : "";
}

interface Hashed<T> {
  readonly item: T;
  readonly hash: string;
}

function* sortedPorts(ports: readonly EndpointPort[]): Generator<void, EndpointPort[]> {
  if (ports.length < 2) return [...ports];
  const hashed: Hashed<EndpointPort>[] = [];
  for (const item of ports) {
    const hash = new Fnv1a128();
    hash.update(encoder.encode(dumpPort(item)));
    hashed.push({ item, hash: hash.hex });
    yield;
  }
  return (yield* sortInSteps(hashed, byHash)).map(({ item }) => item);
}

function* hashOf(subset: EndpointSubset): Generator<void, string> {
  const hash = new Fnv1a128();
  for (const piece of dumpSubset(subset)) {
    hash.update(encoder.encode(piece));
    yield;
  }
  return hash.hex;
}

function byHash(a: Hashed<unknown>, b: Hashed<unknown>): number {
  return byText(a.hash, b.hash);
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
