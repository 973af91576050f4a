import { objectKey, type Secret } from "../../api/mod.ts";
import type { EventHandler } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "../running/mod.ts";

/** Queues a token when it is added or updated. */
export function tokenHandler(queue: Pick<WorkQueue, "add">): EventHandler<Secret> {
  return {
    onAdd: (secret) => queue.add(objectKey(secret), cause("secret", secret, "added")),
    onUpdate: (before, secret) => queue.add(objectKey(secret), cause("secret", secret, changeOf(before, secret))),
  };
}
