import type { ZoneCount, ZoneState } from "./zone_state.ts";

/** What the states of all zones together ask for. */
export type DisruptionStep =
  /** Nothing has changed, or nothing is to be done about it. */
  | { readonly type: "none" }
  /** Nobody is well any more: rather this manager is cut off than all nodes at once. Nothing may be evicted. */
  | { readonly type: "enter" }
  /** Somebody is well again: all nodes get their grace anew, and zones the rates of their states. */
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
