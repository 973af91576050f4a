import type { KubeObject } from "../../api/mod.ts";

/** The object's dependents must lose their reference to it before it is removed. */
export const ORPHAN_FINALIZER = "orphan";
/** The object's dependents must be deleted before it is removed. */
export const FOREGROUND_FINALIZER = "foregroundDeletion";

export type GarbageFinalizer = typeof ORPHAN_FINALIZER | typeof FOREGROUND_FINALIZER;

export function hasFinalizer(object: KubeObject, finalizer: GarbageFinalizer): boolean {
  return object.metadata?.finalizers?.includes(finalizer) === true;
}

export function isBeingDeleted(object: KubeObject): boolean {
  return object.metadata?.deletionTimestamp !== undefined && object.metadata.deletionTimestamp !== null;
}

/** Whether the object waits for the deletion of its dependents. */
export function isDeletingDependents(object: KubeObject): boolean {
  return isBeingDeleted(object) && hasFinalizer(object, FOREGROUND_FINALIZER);
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
  return starts(FOREGROUND_FINALIZER) ? "deleteDependents" : undefined;
}
