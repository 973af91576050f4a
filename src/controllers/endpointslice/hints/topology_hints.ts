import type { Endpoint, EndpointSlice, Service } from "../../../api/mod.ts";
import type { AddressType, Announcement, Draft } from "../slice_draft.ts";
import { allocate, type Allocation } from "./allocations.ts";
import { isReady, withHints, withoutHints } from "./drafts.ts";
import { addTo, redistribute, type Redistribution } from "./redistribution.ts";
import type { ZoneShares } from "./zone_shares.ts";

const DEPRECATED_ANNOTATION = "service.kubernetes.io/topology-aware-hints";
const MODE_ANNOTATION = "service.kubernetes.io/topology-mode";

/** Whether a Service wants its endpoints distributed among zones by their CPU. */
export function wantsTopologyHints({ metadata }: Service): boolean {
  const { [DEPRECATED_ANNOTATION]: deprecated, [MODE_ANNOTATION]: mode } = metadata?.annotations ?? {};
  const value = deprecated ?? mode;
  return value === "Auto" || value === "auto";
}

/** The event for a Service whose hints are enabled or disabled. */
export function hintsAnnouncement(what: "Enabled" | "Disabled", why: string, addressType: AddressType): Announcement {
  return {
    type: what === "Enabled" ? "Normal" : "Warning",
    reason: `TopologyAwareHints${what}`,
    message: `${why}, addressType: ${addressType}`,
  };
}

/** Slices with hints and each zone's number of endpoints; or without hints, and why. */
export type Hinted =
  | { readonly draft: Draft; readonly counts: ReadonlyMap<string, number>; readonly problem?: undefined }
  | { readonly draft: Draft; readonly problem: string };

/**
 * Hints ready endpoints to zones, so that each zone has about its share. Slices with acceptable hints stay.
 * Upstream: `k8s.io/endpointslice/topologycache/topologycache.go` (AddHints).
 */
export function withTopologyHints(draft: Draft, shares: ZoneShares | undefined): Hinted {
  const total = [...draft.create, ...draft.update, ...draft.unchanged].reduce((sum, slice) => sum + readyOf(slice), 0);
  const allocations = allocate(total, shares);
  if (allocations.problem !== undefined) return { draft: withoutHints(draft), problem: allocations.problem };
  const { kept, wrong, counts } = checkUnchanged(draft.unchanged, allocations.zones);
  const { create, update } = draft;
  const writing = [...create, ...update, ...wrong];
  if (!writing.every(({ endpoints }) => (endpoints ?? []).every((one) => !isReady(one) || one.zone))) {
    return { draft: withoutHints(draft), problem: "One or more endpoints do not have a zone specified" };
  }
  for (const { zone = "" } of writing.flatMap(readyEndpoints)) addTo(counts, zone, 1);
  const redistribution = redistribute(allocations.zones, counts);
  const hint = (slice: EndpointSlice) => ({
    ...slice,
    endpoints: (slice.endpoints ?? []).map((endpoint) => hinted(endpoint, redistribution, counts)),
  });
  const hintedDraft = { create: create.map(hint), update: [...update, ...wrong].map(hint), unchanged: kept };
  return counts.size > 0
    ? { draft: hintedDraft, counts }
    : { draft: withoutHints(draft), problem: "No hints allocated for zones" };
}

function readyEndpoints({ endpoints }: EndpointSlice): Endpoint[] {
  return (endpoints ?? []).filter(isReady);
}

function readyOf(slice: EndpointSlice): number {
  return readyEndpoints(slice).length;
}

/** Separates unchanged slices with acceptable hints from those to write, and counts the hints of the former. */
function checkUnchanged(slices: readonly EndpointSlice[], zones: ReadonlyMap<string, Allocation>): {
  readonly kept: EndpointSlice[];
  readonly wrong: EndpointSlice[];
  readonly counts: Map<string, number>;
} {
  const counts = new Map<string, number>();
  const [kept, wrong]: [EndpointSlice[], EndpointSlice[]] = [[], []];
  for (const slice of slices) {
    const own = hintsByZone(slice, zones);
    const fits = own && [...own].every(([zone, count]) => count + (counts.get(zone) ?? 0) <= zones.get(zone)!.maximum);
    (fits ? kept : wrong).push(slice);
    for (const [zone, count] of fits ? own : []) addTo(counts, zone, count);
  }
  return { kept, wrong, counts };
}

/** `undefined` if a ready endpoint has no hint, or one for a zone that gets none. */
function hintsByZone(
  slice: EndpointSlice,
  zones: ReadonlyMap<string, Allocation>,
): ReadonlyMap<string, number> | undefined {
  const counts = new Map<string, number>();
  for (const { hints } of readyEndpoints(slice)) {
    if (!hints?.forZones?.length) return undefined;
    for (const { name } of hints.forZones) {
      if (!zones.has(name)) return undefined;
      addTo(counts, name, 1);
    }
  }
  return counts;
}

/** A ready endpoint with a hint to its own zone, or to another that its own has one to give to. */
function hinted(endpoint: Endpoint, { giving, receiving }: Redistribution, counts: Map<string, number>): Endpoint {
  if (!isReady(endpoint)) return endpoint;
  const own = endpoint.zone!;
  const [other] = giving.has(own) ? receiving.keys() : [];
  if (other !== undefined) {
    takeOne(giving, own);
    takeOne(receiving, other);
    addTo(counts, own, -1);
    addTo(counts, other, 1);
  }
  return withHints(endpoint, { forZones: [{ name: other ?? own }] });
}

function takeOne(quotas: Map<string, number>, zone: string): void {
  const left = quotas.get(zone)! - 1;
  if (left > 0) quotas.set(zone, left);
  else quotas.delete(zone);
}
