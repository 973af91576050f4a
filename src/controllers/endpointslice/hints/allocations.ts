import type { ZoneShares } from "./zone_shares.ts";

/** How much more than its share of the traffic an endpoint may get. */
const OVERLOAD = 0.2;

/** How many endpoints a zone should have. */
export interface Allocation {
  readonly desired: number;
  readonly minimum: number;
  readonly maximum: number;
}

/** Allocations by zone, or why there are none. */
export type Allocations =
  | { readonly zones: ReadonlyMap<string, Allocation>; readonly problem?: undefined }
  | { readonly problem: string };

/**
 * Distributes endpoints among zones so that none of them gets too much traffic.
 * Upstream: `k8s.io/endpointslice/topologycache/topologycache.go` (getAllocations).
 *
 * @param endpoints How many are ready.
 */
export function allocate(endpoints: number, shares: ZoneShares | undefined): Allocations {
  if (!shares) {
    return {
      problem: "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes",
    };
  }
  const counts = `(${endpoints} endpoints, ${shares.size} zones)`;
  if (shares.size > endpoints) return { problem: `Insufficient number of endpoints ${counts}` };
  const wanted = Array.from(shares, ([zone, share]) => {
    const desired = share * endpoints;
    const minimum = Math.ceil(desired * (1 / (1 + OVERLOAD)));
    return { zone, minimum, desired: Math.max(desired, minimum) };
  });
  const spare = endpoints - wanted.reduce((sum, { minimum }) => sum + minimum, 0);
  if (spare < 0) {
    return {
      problem:
        `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${counts}`,
    };
  }
  return {
    zones: new Map(
      wanted.map(({ zone, minimum, desired }) => [zone, { minimum, desired, maximum: minimum + spare }]),
    ),
  };
}

/** Whether a zone has too few endpoints for its share; without shares, whether there are any endpoints. */
export function isOverloaded(counts: ReadonlyMap<string, number>, shares: ZoneShares | undefined): boolean {
  if (counts.size === 0) return false;
  if (!shares) return true;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return Array.from(shares).some(([zone, share]) => {
    const count = counts.get(zone);
    return count === undefined || count < Math.ceil(total * share * (1 / (1 + OVERLOAD)));
  });
}
