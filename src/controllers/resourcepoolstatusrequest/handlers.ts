import { objectKey, type ResourcePoolStatusRequest } from "../../api/mod.ts";
import type { EventHandler } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, type Change, changeOf } from "../running/mod.ts";

/** Queues requests without an answer. Later changes of pools do not change an answer. */
export function requestHandler(queue: Pick<WorkQueue, "add">): EventHandler<ResourcePoolStatusRequest> {
  const enqueue = (request: ResourcePoolStatusRequest, what: Change) => {
    if (!request.status) queue.add(objectKey(request), cause("resourcepoolstatusrequest", request, what));
  };
  return {
    onAdd: (request) => enqueue(request, "added"),
    onUpdate: (before, request) => enqueue(request, changeOf(before, request)),
  };
}
