import type { ZoneCount, ZoneState } from "./zone_state.ts";

/** The reaction to the states of all zones. */
export type DisruptionStep =
  /** Nothing changed, or there is nothing to do. */
  | { readonly type: "none" }
  /** No node is healthy: more likely this manager is cut off than all nodes at once. Nothing may be evicted. */
  | { readonly type: "enter" }
  /** A node is healthy again: all nodes get a fresh grace period, and zones the rates of their states. */
  | { readonly type: "exit"; readonly zones: readonly string[] }
  /** Zones whose state has changed. */
  | { readonly type: "change"; readonly zones: readonly string[] };

/**
 * Compares the states of zones.
 * Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go` (handleDisruption).
 *
 * @param before States of the zones that have nodes, as they were remembered.
 * @param now What was counted in these zones.
 */
export function disruptionStep(
  before: ReadonlyMap<string, ZoneState>,
  now: ReadonlyMap<string, Pick<ZoneCount, "state">>,
): DisruptionStep {
  const isFull = (state: ZoneState) => state === "FullDisruption";
  const allNow = [...now.values()].every(({ state }) => isFull(state));
  const allBefore = [...before.values()].every(isFull);
  if (allNow) return { type: allBefore ? "none" : "enter" };
  if (allBefore) return { type: "exit", zones: [...now.keys()] };
  const zones = [...now].filter(([zone, { state }]) => before.get(zone) !== state).map(([zone]) => zone);
  return zones.length > 0 ? { type: "change", zones } : { type: "none" };
}
