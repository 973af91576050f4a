import { FOREGROUND_DELETION_FINALIZER, type KubeObject, ORPHAN_FINALIZER } from "../../api/mod.ts";
import { hasFinalizer } from "../running/mod.ts";
import type { ClassifiedReferences } from "./classification.ts";
import type { NodeView } from "./graph.ts";
import type { Propagation } from "./live_objects.ts";

/** The decision about an object that may be garbage. */
export type Verdict =
  | { readonly type: "keep" }
  /** An owner keeps it; references to these others must be removed. */
  | { readonly type: "removeReferences"; readonly ownerUids: readonly string[] }
  /** `unblockFirst`: its owners may be waiting for it in a circle, so it must stop blocking them. */
  | { readonly type: "delete"; readonly propagation: Propagation; readonly unblockFirst: boolean };

/**
 * Decides about `item` by its owners' state.
 *
 * @param item Its node; only its dependents matter.
 * @param live The object on the API server.
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

/** Keeps the propagation that an earlier request chose; by default background. */
export function propagationOf(object: KubeObject): Propagation {
  if (hasFinalizer(object, ORPHAN_FINALIZER)) return "Orphan";
  return hasFinalizer(object, FOREGROUND_DELETION_FINALIZER) ? "Foreground" : "Background";
}
