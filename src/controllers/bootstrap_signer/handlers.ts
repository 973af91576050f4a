import { type ConfigMap, type KubeObject, objectKey, type Secret } from "../../api/mod.ts";
import { deletedKey, type EventHandler } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "../running/mod.ts";

type Queue = Pick<WorkQueue, "add">;

/** Queues `cluster-info` when it is created and when it changes. */
export function configMapHandler(queue: Queue): EventHandler<ConfigMap> {
  return {
    onAdd: (configMap) => queue.add(objectKey(configMap), cause("configmap", configMap, "added")),
    onUpdate: (before, configMap) =>
      queue.add(objectKey(configMap), cause("configmap", configMap, changeOf(before, configMap))),
  };
}

/** Every change of any token queues `cluster-info`, whose key is `signed`. */
export function tokenHandler(queue: Queue, signed: string): EventHandler<Secret> {
  const enqueue = (secret: KubeObject | string, change: "added" | "updated" | "resynced" | "deleted") =>
    queue.add(signed, cause("secret", secret, change));
  return {
    onAdd: (secret) => enqueue(secret, "added"),
    onUpdate: (before, secret) => enqueue(secret, changeOf(before, secret)),
    onDelete: (deleted) => enqueue(deletedKey(deleted), "deleted"),
  };
}
