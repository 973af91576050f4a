import type { KubeObject } from "../../api/mod.ts";
import type { ClassifiedReferences } from "./classification.ts";
import type { NodeView } from "./graph.ts";
import type { Propagation } from "./live_objects.ts";
import { FOREGROUND_FINALIZER, hasFinalizer, ORPHAN_FINALIZER } from "./transitions.ts";

/** What is to be done about an object that may be garbage. */
export type Verdict =
  | { readonly type: "keep" }
  /** Some owner keeps it; references to these others are to go. */
  | { readonly type: "removeReferences"; readonly ownerUids: readonly string[] }
  /** `unblockFirst`: its owners may be waiting for it in a circle, so it must stop blocking them. */
  | { readonly type: "delete"; readonly propagation: Propagation; readonly unblockFirst: boolean };

/**
 * Decides about `item` by what became of its owners.
 *
 * @param item Its place in the graph; only its dependents matter.
 * @param live The object as the API server has it.
 */
export function verdictOn(
  item: Pick<NodeView, "dependents">,
  live: KubeObject,
  { solid, dangling, waiting }: ClassifiedReferences,
): Verdict {
  if (solid.length > 0) {
    const ownerUids = [...dangling, ...waiting].map(({ uid }) => uid);
    return ownerUids.length > 0 ? { type: "removeReferences", ownerUids } : { type: "keep" };
  }
  if (waiting.length > 0 && item.dependents.size > 0) {
    return { type: "delete", propagation: "Foreground", unblockFirst: someDeletesDependents(item.dependents) };
  }
  return { type: "delete", propagation: propagationOf(live), unblockFirst: false };
}

function someDeletesDependents(dependents: Iterable<NodeView>): boolean {
  for (const dependent of dependents) if (dependent.deletingDependents) return true;
  return false;
}

/** What an earlier request wanted for the dependents is kept; by default they follow in the background. */
export function propagationOf(object: KubeObject): Propagation {
  if (hasFinalizer(object, ORPHAN_FINALIZER)) return "Orphan";
  return hasFinalizer(object, FOREGROUND_FINALIZER) ? "Foreground" : "Background";
}
