import type { DiscoveryV1EndpointPort, Endpoint, EndpointAddress, EndpointPort, Endpoints } from "../../api/mod.ts";
import { endpointKey, inHashOrder, portKey } from "../endpoint_slices/mod.ts";
import { repackSubsets } from "../endpoint_subsets/mod.ts";
import { canonicalAddress } from "../service_pods/mod.ts";

/** The content of one slice. */
export interface MirrorGroup {
  readonly addressType: string;
  readonly ports: DiscoveryV1EndpointPort[];
  /** By {@link endpointKey}. */
  readonly endpoints: Map<string, Endpoint>;
}

/** The content of the slices that mirror Endpoints. */
export interface DesiredMirror {
  /** By {@link groupKey}. */
  readonly groups: ReadonlyMap<string, MirrorGroup>;
  /** The number of invalid addresses. */
  readonly invalid: number;
  /** The number of addresses left out, for any reason. */
  readonly skipped: number;
}

/** A key that is equal for slices that mirror the same subsets. */
export function groupKey(
  { addressType, ports }: { readonly addressType: string; readonly ports?: readonly DiscoveryV1EndpointPort[] | null },
): string {
  return `${addressType} ${portKey(ports)}`;
}

/**
 * Computes the mirror of Endpoints: each subset's first addresses, ready ones before others, one step per address.
 * Upstream: `pkg/controller/endpointslicemirroring/reconciler_helpers.go` (desiredCalc).
 *
 * @param most The most addresses per subset.
 * @throws {TooManyAddressesError} If the subsets have more addresses than could be written.
 */
export function* desiredMirror({ subsets }: Endpoints, most: number): Generator<void, DesiredMirror> {
  const groups = new Map<string, MirrorGroup>();
  let [invalid, skipped] = [0, 0];
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of yield* repackSubsets(subsets ?? [])) {
    const families = familyGroups(ports, groups);
    let added = 0;
    for (const [list, ready] of [[addresses, true], [notReadyAddresses, false]] as const) {
      for (const address of list) {
        if (added >= most) break;
        yield;
        const endpoint = endpointOf(address, ready);
        if (!endpoint) {
          invalid++;
          continue;
        }
        families[endpoint.family].endpoints.set(endpointKey(endpoint.endpoint), endpoint.endpoint);
        added++;
      }
    }
    skipped += addresses.length + notReadyAddresses.length - added;
  }
  return { groups, invalid, skipped };
}

/** The groups of a subset's ports, one per family. */
function familyGroups(
  subsetPorts: readonly EndpointPort[],
  groups: Map<string, MirrorGroup>,
): Readonly<Record<"IPv4" | "IPv6", MirrorGroup>> {
  const ports = inHashOrder(
    subsetPorts.map(({ name = "", port, protocol, appProtocol }) => ({
      name,
      port,
      protocol,
      ...appProtocol !== undefined && { appProtocol },
    })),
  );
  const of = (addressType: string) => {
    const key = groupKey({ addressType, ports });
    let group = groups.get(key);
    if (!group) groups.set(key, group = { addressType, ports, endpoints: new Map() });
    return group;
  };
  return { IPv4: of("IPv4"), IPv6: of("IPv6") };
}

function endpointOf(
  { ip, targetRef, nodeName, hostname }: EndpointAddress,
  ready: boolean,
): { readonly family: "IPv4" | "IPv6"; readonly endpoint: Endpoint } | undefined {
  const address = canonicalAddress(ip);
  return address && {
    family: address.family,
    endpoint: {
      addresses: [address.text],
      conditions: { ready },
      ...hostname && { hostname },
      ...targetRef && { targetRef },
      ...nodeName !== undefined && { nodeName },
    },
  };
}
