import { type KubeObject, objectKey, type Resource } from "../../api/mod.ts";
import { deletedKey, type EventHandler, finalStateOf } from "../../cache/mod.ts";
import type { Cause, WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "../running/mod.ts";

/** A resource besides the controller's own, and the objects that its changes concern. */
export interface Watched {
  readonly resource: Resource;
  /** Keys, `namespace/name`. */
  readonly keysOf: (object: Readonly<KubeObject>) => readonly string[];
}

/** Queues objects of the controller's own kind when they change. */
export function ownHandler(resource: Resource, queue: Pick<WorkQueue, "add">): EventHandler<KubeObject> {
  const kind = resource.kind.toLowerCase();
  return {
    onAdd: (object) => queue.add(objectKey(object), cause(kind, object, "added")),
    onUpdate: (before, object) => queue.add(objectKey(object), cause(kind, object, changeOf(before, object))),
    onDelete: (deleted) => {
      const key = deletedKey(deleted);
      queue.add(key, cause(kind, key, "deleted"));
    },
  };
}

/** When a watched object changes, queues the objects that it concerns, or concerned before. */
export function watchedHandler({ resource, keysOf }: Watched, queue: Pick<WorkQueue, "add">): EventHandler<KubeObject> {
  const kind = resource.kind.toLowerCase();
  const enqueue = (keys: Iterable<string>, why: Cause) => {
    for (const key of keys) queue.add(key, why);
  };
  return {
    onAdd: (object) => enqueue(keysOf(object), cause(kind, object, "added")),
    onUpdate: (before, object) =>
      enqueue([...keysOf(object), ...keysOf(before)], cause(kind, object, changeOf(before, object))),
    onDelete: (deleted) => {
      const object = finalStateOf(deleted);
      if (object) enqueue(keysOf(object), cause(kind, object, "deleted"));
    },
  };
}
