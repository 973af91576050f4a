import { type KubeObject, objectKey } from "../../api/mod.ts";
import type { EventHandler } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, type Change, changeOf, isDeletionCandidate, needsFinalizer } from "../running/mod.ts";

/** Handles events of the objects that a finalizer protects. */
export interface GuardedHandlerOptions<T extends KubeObject> {
  /** Their kind in lower case, as causes have it. */
  readonly kind: string;
  readonly finalizer: string;
  readonly queue: Pick<WorkQueue, "add">;
  /** Another reason to look at an object. */
  isWanting?(object: T): boolean;
}

/** Queues objects that still need the finalizer, or whose deletion waits for it. */
export function guardedHandler<T extends KubeObject>(
  { kind, finalizer, queue, isWanting = () => false }: GuardedHandlerOptions<T>,
): EventHandler<T> {
  const enqueue = (object: T, what: Change) => {
    if (needsFinalizer(object, finalizer) || isDeletionCandidate(object, finalizer) || isWanting(object)) {
      queue.add(objectKey(object), cause(kind, object, what));
    }
  };
  return {
    onAdd: (object) => enqueue(object, "added"),
    onUpdate: (old, object) => enqueue(object, changeOf(old, object)),
  };
}
