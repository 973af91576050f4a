import type { KubeObject } from "../../api/mod.ts";
import { type EventHandler, finalStateOf } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause } from "../running/mod.ts";

/** The objects that use classes, and the queue to notify. */
export interface UserHandlerOptions<T extends KubeObject> {
  /** Their kind in lower case, as in queueing causes. */
  readonly kind: string;
  readonly queue: Pick<WorkQueue, "add">;
  /** The classes that an object uses. */
  classesOf(object: T): readonly string[];
}

/** Queues the classes that an object no longer uses because it was updated or deleted. */
export function userHandler<T extends KubeObject>(
  { kind, queue, classesOf }: UserHandlerOptions<T>,
): EventHandler<T> {
  return {
    onUpdate: (before, object) => {
      const kept = classesOf(object);
      for (const name of classesOf(before)) if (!kept.includes(name)) queue.add(name, cause(kind, object, "updated"));
    },
    onDelete: (deleted) => {
      const object = finalStateOf(deleted);
      if (!object) return;
      for (const name of classesOf(object)) queue.add(name, cause(kind, object, "deleted"));
    },
  };
}
