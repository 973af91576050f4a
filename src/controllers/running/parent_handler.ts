import { type KubeObject, objectKey } from "../../api/mod.ts";
import { deletedKey, type EventHandler, finalStateOf } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "./causes.ts";

/** What handles events of the objects that a controller manages. */
export interface ParentHandlerOptions {
  /** Their kind in lower case, as it appears in causes. */
  readonly kind: string;
  readonly queue: Pick<WorkQueue, "add">;
  /** Called before queueing a key whose object is gone, or was replaced during a gap in the watch. */
  onGone?(key: string, uid: string | undefined): void;
}

/** Queues every object that is added, changed, replayed or deleted. */
export function parentHandler<P extends KubeObject>({ kind, queue, onGone }: ParentHandlerOptions): EventHandler<P> {
  const gone = (key: string, uid: string | undefined) => {
    onGone?.(key, uid);
    queue.add(key, cause(kind, key, "deleted"));
  };
  return {
    onAdd: (parent) => queue.add(objectKey(parent), cause(kind, parent, "added")),
    onUpdate: (before, parent) => {
      if (before.metadata?.uid !== parent.metadata?.uid) gone(objectKey(before), before.metadata?.uid);
      queue.add(objectKey(parent), cause(kind, parent, changeOf(before, parent)));
    },
    onDelete: (deleted) => gone(deletedKey(deleted), finalStateOf(deleted)?.metadata?.uid),
  };
}
