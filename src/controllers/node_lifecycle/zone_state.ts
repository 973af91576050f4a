import type { NodeCondition } from "../../api/mod.ts";

/** How the nodes of a zone are, all together. */
export type ZoneState = "Initial" | "Normal" | "PartialDisruption" | "FullDisruption";

/** What was counted in a zone. */
export interface ZoneCount {
  readonly size: number;
  readonly unhealthy: number;
  readonly state: ZoneState;
}

/**
 * How a zone is, by what its nodes say of themselves. No node of three or fewer makes more than itself suspect, unless none is well.
 * Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go` (ComputeZoneState).
 *
 * @param conditions Ready of each node.
 */
export function countZone(conditions: readonly (NodeCondition | undefined)[], unhealthyThreshold: number): ZoneCount {
  const size = conditions.length;
  const unhealthy = conditions.filter((ready) => ready?.status !== "True").length;
  // As upstream, which compares in 32 bits: 11 of 20 are 0.55.
  const isPartial = unhealthy > 2 && Math.fround(unhealthy / size) >= Math.fround(unhealthyThreshold);
  const state = size > 0 && unhealthy === size ? "FullDisruption" : isPartial ? "PartialDisruption" : "Normal";
  return { size, unhealthy, state };
}

/** Nodes a second that may be tainted in a zone. */
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
