import { type KubeObject, objectKey } from "../../api/mod.ts";
import { deletedKey, type EventHandler, finalStateOf } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "./causes.ts";

/** What hears of the objects that a controller is for. */
export interface ParentHandlerOptions {
  /** Their kind in lower case, as causes have it. */
  readonly kind: string;
  readonly queue: Pick<WorkQueue, "add">;
  /** Called before a key is queued whose object is gone, or was replaced during a gap of the watch. */
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
