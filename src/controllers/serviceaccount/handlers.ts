import { type Namespace, objectKey, type ServiceAccount, splitKey } from "../../api/mod.ts";
import { deletedKey, type EventHandler } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "../running/mod.ts";

/** The deletion of any account queues its namespace; nothing else can make one missing. */
export function accountHandler(queue: Pick<WorkQueue, "add">): EventHandler<ServiceAccount> {
  return {
    onDelete: (deleted) => {
      const key = deletedKey(deleted);
      queue.add(splitKey(key).namespace, cause("serviceaccount", key, "deleted"));
    },
  };
}

/** A namespace is queued in whatever phase: the sync decides. */
export function namespaceHandler(queue: Pick<WorkQueue, "add">): EventHandler<Namespace> {
  return {
    onAdd: (namespace) => queue.add(objectKey(namespace), cause("namespace", namespace, "added")),
    onUpdate: (before, namespace) =>
      queue.add(objectKey(namespace), cause("namespace", namespace, changeOf(before, namespace))),
  };
}
