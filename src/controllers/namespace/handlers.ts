import { type Namespace, objectKey } from "../../api/mod.ts";
import type { EventHandler } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause } from "../common/mod.ts";

/** Before content goes, every API server must have had time to see that nothing may be created any more. */
const DELETION_GRACE_MS = 5000;

/** A namespace in deletion is queued for a little later. */
export function namespaceHandler(queue: Pick<WorkQueue, "addAfter">): EventHandler<Namespace> {
  const enqueue = (namespace: Namespace, what: "added" | "updated") => {
    if (!namespace.metadata?.deletionTimestamp) return;
    queue.addAfter(objectKey(namespace), DELETION_GRACE_MS, cause("namespace", namespace, what));
  };
  return {
    onAdd: (namespace) => enqueue(namespace, "added"),
    onUpdate: (_, namespace) => enqueue(namespace, "updated"),
  };
}
