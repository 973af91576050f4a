import type { KubeObject } from "../../api/mod.ts";

/** Keeps a group until no active pod is scheduled with it; admission sets it. */
const FINALIZER = "scheduling.k8s.io/podgroup-protection";

/** Whether an object is to go, and only waits to be let go by its guards, of which this is one. */
export function isHeld({ metadata }: KubeObject): boolean {
  return metadata?.deletionTimestamp !== undefined && metadata.finalizers?.includes(FINALIZER) === true;
}

/** The object without the guard. */
export function released<T extends KubeObject>(object: T): T {
  const finalizers = object.metadata?.finalizers?.filter((name) => name !== FINALIZER);
  return { ...object, metadata: { ...object.metadata, finalizers } };
}
