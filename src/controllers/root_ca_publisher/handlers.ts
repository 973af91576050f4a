import { type ConfigMap, type Namespace, objectKey, ROOT_CA_CONFIG_MAP, splitKey } from "../../api/mod.ts";
import { deletedKey, type EventHandler } from "../../cache/mod.ts";
import type { Cause, WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "../running/mod.ts";

/** A published ConfigMap that was changed or deleted queues its namespace. */
export function configMapHandler(queue: Pick<WorkQueue, "add">): EventHandler<ConfigMap> {
  const enqueue = (key: string, why: Cause) => {
    const { namespace, name } = splitKey(key);
    if (name === ROOT_CA_CONFIG_MAP) queue.add(namespace, why);
  };
  return {
    onUpdate: (before, configMap) =>
      enqueue(objectKey(configMap), cause("configmap", configMap, changeOf(before, configMap))),
    onDelete: (deleted) => {
      const key = deletedKey(deleted);
      enqueue(key, cause("configmap", key, "deleted"));
    },
  };
}

/** Queues a namespace when it is added, whatever its phase, and when it is updated while Active. */
export function namespaceHandler(queue: Pick<WorkQueue, "add">): EventHandler<Namespace> {
  return {
    onAdd: (namespace) => queue.add(objectKey(namespace), cause("namespace", namespace, "added")),
    onUpdate: (before, namespace) => {
      if (namespace.status?.phase !== "Active") return;
      queue.add(objectKey(namespace), cause("namespace", namespace, changeOf(before, namespace)));
    },
  };
}
