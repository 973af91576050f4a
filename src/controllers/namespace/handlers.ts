import { type Namespace, objectKey } from "../../api/mod.ts";
import type { EventHandler } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, type Change, changeOf } from "../running/mod.ts";

/** Before content is deleted, every API server must have had time to notice that nothing more may be created. */
const DELETION_GRACE_MS = 5000;

/** Queues a namespace in deletion with a short delay. */
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
