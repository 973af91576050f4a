import { type Job, objectKey } from "../../api/mod.ts";
import type { EventHandler } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, type Change, changeOf } from "../running/mod.ts";
import { isToExpire } from "./expiry.ts";

/** Queues a finished Job with a TTL whenever it changes. */
export function jobHandler(queue: Pick<WorkQueue, "add">): EventHandler<Job> {
  const enqueue = (job: Job, what: Change) => {
    if (isToExpire(job)) queue.add(objectKey(job), cause("job", job, what));
  };
  return { onAdd: (job) => enqueue(job, "added"), onUpdate: (before, job) => enqueue(job, changeOf(before, job)) };
}
