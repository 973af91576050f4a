import type { KubeObject } from "../../api/mod.ts";

/** Whether an object still needs this finalizer. The API server refuses new ones on objects that are being deleted. */
export function needsFinalizer({ metadata }: KubeObject, finalizer: string): boolean {
  return !metadata?.deletionTimestamp && !hasFinalizer({ metadata }, finalizer);
}

/** Whether an object is being deleted and still has this finalizer. */
export function isDeletionCandidate({ metadata }: KubeObject, finalizer: string): boolean {
  return Boolean(metadata?.deletionTimestamp) && hasFinalizer({ metadata }, finalizer);
}

/** Whether an object has this finalizer. */
export function hasFinalizer({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata?.finalizers?.includes(finalizer) ?? false;
}

/** The object with this finalizer after those it has. */
export function withFinalizer<T extends KubeObject>(object: T, finalizer: string): T {
  return withFinalizers(object, [...object.metadata?.finalizers ?? [], finalizer]);
}

/** The object without this finalizer, however often it has it; the others keep their order. */
export function withoutFinalizer<T extends KubeObject>(object: T, finalizer: string): T {
  const others = object.metadata?.finalizers?.filter((other) => other !== finalizer) ?? [];
  return withFinalizers(object, others.length > 0 ? others : undefined);
}

/** The part of a strategic merge patch, in `metadata`, that removes this finalizer and leaves the others. */
export function finalizerRemoval(finalizer: string): object {
  return { "$deleteFromPrimitiveList/finalizers": [finalizer] };
}

function withFinalizers<T extends KubeObject>(object: T, finalizers: string[] | undefined): T {
  return { ...object, metadata: { ...object.metadata, finalizers } };
}
