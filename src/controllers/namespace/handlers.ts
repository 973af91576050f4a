import { type Namespace, objectKey } from "../../api/mod.ts";
import type { EventHandler } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, type Change, changeOf } from "../running/mod.ts";

/** Before content goes, every API server must have had time to see that nothing may be created any more. */
const DELETION_GRACE_MS = 5000;

/** A namespace in deletion is queued for a little later. */
export function namespaceHandler(queue: Pick<WorkQueue, "addAfter">): EventHandler<Namespace> {
  const enqueue = (namespace: Namespace, what: Change) => {
    if (!namespace.metadata?.deletionTimestamp) return;
    queue.addAfter(objectKey(namespace), DELETION_GRACE_MS, cause("namespace", namespace, what));
  };
  return {
    onAdd: (namespace) => enqueue(namespace, "added"),
    onUpdate: (before, namespace) => enqueue(namespace, changeOf(before, namespace)),
  };
}
