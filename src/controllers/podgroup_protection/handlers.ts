import { objectKey, type Pod, type PodGroup } from "../../api/mod.ts";
import { type EventHandler, finalStateOf } from "../../cache/mod.ts";
import type { Change, WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf, isDeletionCandidate } from "../running/mod.ts";
import { groupOf, hasEnded } from "./groups_of_pods.ts";
import { FINALIZER } from "./sync.ts";

type Queue = Pick<WorkQueue, "add">;

/** Queues groups whose deletion waits for the finalizer. */
export function groupHandler(queue: Queue): EventHandler<PodGroup> {
  const enqueue = (group: PodGroup, what: Change) => {
    if (isDeletionCandidate(group, FINALIZER)) queue.add(objectKey(group), cause("podgroup", group, what));
  };
  return {
    onAdd: (group) => enqueue(group, "added"),
    onUpdate: (before, group) => enqueue(group, changeOf(before, group)),
  };
}

/** Queues the group of a pod that ends or is deleted. */
export function podHandler(queue: Queue): EventHandler<Pod> {
  const enqueue = (pod: Pod, what: Change) => {
    const group = groupOf(pod);
    if (group !== undefined) queue.add(group, cause("pod", pod, what));
  };
  return {
    onAdd: (pod) => hasEnded(pod) && enqueue(pod, "added"),
    onUpdate: (before, pod) => {
      if (hasEnded(pod)) enqueue(pod, changeOf(before, pod));
      // One pod was replaced by another.
      if (before.metadata?.uid !== pod.metadata?.uid) enqueue(before, "deleted");
    },
    onDelete: (deleted) => {
      const pod = finalStateOf(deleted);
      if (pod) enqueue(pod, "deleted");
    },
  };
}
