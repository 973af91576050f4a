import type { Endpoint, EndpointSlice, Service } from "../../api/mod.ts";
import { endpointKey, isSameEndpoint } from "../endpoint_slices/mod.ts";
import type { PortGroup } from "./desired_endpoints.ts";
import { labelsDiffer, labelsFor, newSlice } from "./service_slices.ts";

/** The result for the slices of one set of ports. */
export interface Packing {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly delete: readonly EndpointSlice[];
  /** Endpoints that no slice had before. */
  readonly added: number;
  readonly removed: number;
}

/** A slice that is being filled. */
interface Filling {
  /** The slice that it replaces, or a new one. */
  readonly slice: EndpointSlice;
  readonly endpoints: Endpoint[];
}

/**
 * Packs endpoints into slices so that few slices are written, one step per endpoint: existing ones stay; new ones go to
 * slices that are written anyway, the fullest first; the rest goes to one unchanged slice with room, or to new ones.
 * Upstream: `k8s.io/endpointslice/reconciler.go` (reconcileByPortMapping).
 *
 * @param existing Slices of the Service with the group's ports.
 */
export function* pack(
  service: Service,
  existing: readonly EndpointSlice[],
  { group, mostEndpoints }: { readonly group: PortGroup; readonly mostEndpoints: number },
): Generator<void, Packing> {
  const remaining = new Map(group.endpoints);
  const [update, unchanged, gone]: [Filling[], EndpointSlice[], EndpointSlice[]] = [[], [], []];
  let removed = 0;
  for (const slice of existing) {
    const { kept, changed } = yield* keep(slice, remaining);
    const before = slice.endpoints ?? [];
    removed += before.length - kept.length;
    if (changed && kept.length === 0) gone.push(slice);
    else if (changed) update.push({ slice: relabelled(slice, service), endpoints: kept });
    // Hints and endpoints stay unchanged.
    else if (labelsDiffer(slice, service)) update.push({ slice: relabelled(slice, service), endpoints: [...before] });
    else unchanged.push(slice);
  }
  const added = remaining.size;
  const create: Filling[] = [];
  for (const filling of update.toSorted((a, b) => b.endpoints.length - a.endpoints.length)) {
    yield* fill(filling, remaining, mostEndpoints);
  }
  while (remaining.size > 0) {
    const roomy = remaining.size < mostEndpoints ? roomiest(unchanged, remaining.size, mostEndpoints) : undefined;
    const filling = roomy
      ? { slice: roomy, endpoints: [...roomy.endpoints ?? []] }
      : { slice: newSlice(service, group), endpoints: [] };
    if (roomy) unchanged.splice(unchanged.indexOf(roomy), 1);
    (roomy ? update : create).push(filling);
    yield* fill(filling, remaining, mostEndpoints);
  }
  const filled = ({ slice, endpoints }: Filling): EndpointSlice => ({ ...slice, endpoints });
  return { create: create.map(filled), update: update.map(filled), delete: gone, added, removed };
}

function relabelled(slice: EndpointSlice, service: Service): EndpointSlice {
  return { ...slice, metadata: { ...slice.metadata, labels: labelsFor(service) } };
}

/** The endpoints of a slice that are still wanted, in their wanted form; they need no other place. */
function* keep(
  slice: EndpointSlice,
  remaining: Map<string, Endpoint>,
): Generator<void, { readonly kept: Endpoint[]; readonly changed: boolean }> {
  const kept: Endpoint[] = [];
  const before = slice.endpoints ?? [];
  let changed = false;
  for (const endpoint of before) {
    yield;
    const key = endpointKey(endpoint);
    const wanted = remaining.get(key);
    if (!wanted) continue;
    kept.push(wanted);
    changed ||= !isSameEndpoint(wanted, endpoint);
    remaining.delete(key);
  }
  return { kept, changed: changed || kept.length !== before.length };
}

function* fill({ endpoints }: Filling, remaining: Map<string, Endpoint>, most: number): Generator<void, void> {
  for (const [key, endpoint] of remaining) {
    if (endpoints.length >= most) return;
    endpoints.push(endpoint);
    remaining.delete(key);
    yield;
  }
}

/** The slice that is fullest after adding this many endpoints, if they fit into one. */
function roomiest(slices: readonly EndpointSlice[], adding: number, most: number): EndpointSlice | undefined {
  let [best, least]: [EndpointSlice | undefined, number] = [undefined, most];
  for (const slice of slices) {
    const room = most - (adding + (slice.endpoints ?? []).length);
    if (room >= 0 && room < least) [best, least] = [slice, room];
  }
  return best;
}
