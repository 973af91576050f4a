import { objectKey, type PersistentVolumeClaim, type Pod } from "../../api/mod.ts";
import { deletedKey, type EventHandler, type Indexer } from "../../cache/mod.ts";
import type { Reason, WorkQueue } from "../../workqueue/mod.ts";
import { podsNaming } from "../pod_volumes/mod.ts";
import { cause } from "../running/mod.ts";

type Queue = Pick<WorkQueue, "add">;

/** Queues new pods with an ephemeral volume. A pod's volumes never change. */
export function podHandler(queue: Queue): EventHandler<Pod> {
  return {
    onAdd: (pod) => enqueue(pod, cause("pod", pod, "added"), queue),
    // During a gap in the watch, a pod may be replaced by another one of its name.
    onUpdate: (before, pod) => {
      if (before.metadata?.uid !== pod.metadata?.uid) enqueue(pod, cause("pod", pod, "added"), queue);
    },
  };
}

/** A deleted claim queues the pods that name it: a living one needs it again. */
export function claimHandler(
  queue: Queue,
  pods: Pick<Indexer<Pod>, "byIndex">,
): EventHandler<PersistentVolumeClaim> {
  return {
    onDelete: (deleted) => {
      const key = deletedKey(deleted);
      const why = cause("persistentvolumeclaim", key, "deleted");
      for (const pod of podsNaming(pods, key)) enqueue(pod, why, queue);
    },
  };
}

function enqueue(pod: Pod, why: Reason, queue: Queue): void {
  if (pod.metadata?.deletionTimestamp) return;
  if (pod.spec?.volumes?.some(({ ephemeral }) => ephemeral)) queue.add(objectKey(pod), why);
}
