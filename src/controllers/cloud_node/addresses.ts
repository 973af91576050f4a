import type { Node, NodeAddress } from "../../api/mod.ts";
import { parseAddress } from "../address_ranges/mod.ts";

/** The annotation with which a kubelet chooses among its machine's addresses. */
const PROVIDED_IP_ANNOTATION = "alpha.kubernetes.io/provided-node-ip";

/**
 * The addresses for a node: those that its kubelet requests come first, without others of their types.
 * Upstream: `k8s.io/cloud-provider/node/helpers/address.go` (GetNodeAddressesFromNodeIP).
 *
 * @throws {Error} If the kubelet requests an invalid address, or one that the machine does not have.
 */
export function preferred({ metadata }: Node, addresses: readonly NodeAddress[]): readonly NodeAddress[] {
  const asked = metadata?.annotations?.[PROVIDED_IP_ANNOTATION];
  if (asked === undefined) return addresses;
  const ips = askedFor(asked);
  const numbers = addresses.map(({ address }) => parseAddress(address)); // there may be many
  const first: NodeAddress[] = [];
  for (const ip of ips) {
    const wanted = parseAddress(ip);
    const matching = addresses.filter((_, i) => numbers[i] === wanted);
    if (matching.length === 0) throw new Error(`failed to get node address from cloud provider that matches ip: ${ip}`);
    first.push(...matching);
  }
  const types = new Set(first.map(({ type }) => type));
  return [...first, ...addresses.filter(({ type }) => !types.has(type))].map(({ type, address }) => ({
    type,
    address,
  }));
}

/** Upstream: `k8s.io/component-helpers/node/util/ips.go` (ParseNodeIPAnnotation). */
function askedFor(text: string): string[] {
  const said = (why: string) =>
    new Error(`failed to parse node IP ${JSON.stringify(text.slice(0, LONGEST_SHOWN))}: ${why}`);
  const ips = text.split(",", MOST_ASKED_FOR + 1);
  const odd = ips.find((ip) => parseAddress(ip) === undefined);
  if (odd !== undefined) throw said(`could not parse ${JSON.stringify(odd.slice(0, LONGEST_SHOWN))}`);
  const families = new Set(ips.map((ip) => parseAddress(ip)?.split(" ")[0]));
  if (ips.length > MOST_ASKED_FOR || families.size < ips.length) {
    throw said("must contain either a single IP or a dual-stack pair of IPs");
  }
  if (ips.length > 1 && ips.some((ip) => UNSPECIFIED.has(parseAddress(ip) ?? ""))) {
    throw said("dual-stack node IP cannot include '0.0.0.0' or '::'");
  }
  return ips;
}

const MOST_ASKED_FOR = 2;
/** How much of a kubelet's text an error shows. */
const LONGEST_SHOWN = 100;
const UNSPECIFIED: ReadonlySet<string> = new Set(["0.0.0.0", "::"].map((ip) => parseAddress(ip) ?? ""));

/**
 * The addresses to write to a node, based on its cloud's.
 *
 * @returns `undefined` if there is nothing to write.
 * @throws {Error} As {@link preferred}.
 */
export function changedAddresses(node: Node, ofCloud: readonly NodeAddress[]): readonly NodeAddress[] | undefined {
  if (ofCloud.length === 0) return undefined;
  const present = node.status?.addresses ?? [];
  const hasHostname = ofCloud.some(({ type }) => type === "Hostname");
  const hostnames = hasHostname ? [] : present.filter(({ type }) => type === "Hostname");
  const wanted = withoutDuplicates(preferred(node, [...ofCloud, ...hostnames]));
  const isSame = wanted.length === present.length &&
    wanted.every(({ type, address }, i) => present[i].type === type && present[i].address === address);
  return isSame || isEqualByType(present, wanted) ? undefined : wanted;
}

/** The API server refuses a node with duplicate addresses of a type; upstream then leaves the node unchanged. */
function withoutDuplicates(addresses: readonly NodeAddress[]): readonly NodeAddress[] {
  return [...new Map(addresses.map((each) => [`${each.type} ${each.address}`, each])).values()];
}

/** Compares like upstream: the order of different types does not matter. */
function isEqualByType(present: readonly NodeAddress[], wanted: readonly NodeAddress[]): boolean {
  const byType = new Map(present.map(({ type, address }) => [type, address]));
  return present.length === wanted.length && wanted.every(({ type, address }) => byType.get(type) === address);
}
