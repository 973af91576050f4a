import type { NodeCondition } from "../../api/mod.ts";

/** The overall state of a zone's nodes. */
export type ZoneState = "Initial" | "Normal" | "PartialDisruption" | "FullDisruption";

/** What was counted in a zone. */
export interface ZoneCount {
  readonly size: number;
  readonly unhealthy: number;
  readonly state: ZoneState;
}

/**
 * Computes a zone's state from its nodes' conditions. With three or fewer nodes, a failing one does not make the zone
 * disrupted, unless none is healthy.
 * Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go` (ComputeZoneState).
 *
 * @param conditions Ready of each node.
 */
export function countZone(conditions: readonly (NodeCondition | undefined)[], unhealthyThreshold: number): ZoneCount {
  const size = conditions.length;
  const unhealthy = conditions.filter((ready) => ready?.status !== "True").length;
  // As upstream, which compares 32-bit floats: 11 of 20 are 0.55.
  const isPartial = unhealthy > 2 && Math.fround(unhealthy / size) >= Math.fround(unhealthyThreshold);
  const state = size > 0 && unhealthy === size ? "FullDisruption" : isPartial ? "PartialDisruption" : "Normal";
  return { size, unhealthy, state };
}

/** How many nodes per second may be tainted in a zone. */
export function evictionRate(
  { state, size }: Pick<ZoneCount, "state" | "size">,
  { nodeEvictionRate, secondaryNodeEvictionRate, largeClusterSizeThreshold }: {
    readonly nodeEvictionRate: number;
    readonly secondaryNodeEvictionRate: number;
    readonly largeClusterSizeThreshold: number;
  },
): number {
  if (state !== "PartialDisruption") return nodeEvictionRate;
  return size > largeClusterSizeThreshold ? secondaryNodeEvictionRate : 0;
}
