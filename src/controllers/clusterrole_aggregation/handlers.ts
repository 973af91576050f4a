import type { ClusterRole } from "../../api/mod.ts";
import { deletedKey, type EventHandler } from "../../cache/mod.ts";
import type { Cause, WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "../running/mod.ts";

/**
 * Every change of any role queues all aggregated ones: finding the affected ones would require their selectors, and
 * they are few.
 *
 * @param aggregated The names of all aggregated roles.
 */
export function roleHandler(
  queue: Pick<WorkQueue, "add">,
  aggregated: () => readonly string[],
): EventHandler<ClusterRole> {
  const enqueue = (why: Cause) => {
    for (const name of aggregated()) queue.add(name, why);
  };
  return {
    onAdd: (role) => enqueue(cause("clusterrole", role, "added")),
    onUpdate: (before, role) => enqueue(cause("clusterrole", role, changeOf(before, role))),
    onDelete: (deleted) => enqueue(cause("clusterrole", deletedKey(deleted), "deleted")),
  };
}
