import { FOREGROUND_DELETION_FINALIZER, type KubeObject, ORPHAN_FINALIZER } from "../../api/mod.ts";
import { hasFinalizer } from "../running/mod.ts";

export type GarbageFinalizer = typeof ORPHAN_FINALIZER | typeof FOREGROUND_DELETION_FINALIZER;

export function isBeingDeleted(object: KubeObject): boolean {
  return object.metadata?.deletionTimestamp !== undefined && object.metadata.deletionTimestamp !== null;
}

/** Whether the object waits for the deletion of its dependents. */
export function isDeletingDependents(object: KubeObject): boolean {
  return isBeingDeleted(object) && hasFinalizer(object, FOREGROUND_DELETION_FINALIZER);
}

/**
 * What starts with `now` compared to the previous object (`undefined` if unknown): orphaning its dependents, deleting
 * them, or nothing.
 */
export function transitionOf(old: KubeObject | undefined, now: KubeObject): "orphan" | "deleteDependents" | undefined {
  if (!isBeingDeleted(now)) return undefined;
  const starts = (finalizer: GarbageFinalizer) =>
    hasFinalizer(now, finalizer) && !(old && isBeingDeleted(old) && hasFinalizer(old, finalizer));
  if (starts(ORPHAN_FINALIZER)) return "orphan";
  return starts(FOREGROUND_DELETION_FINALIZER) ? "deleteDependents" : undefined;
}
