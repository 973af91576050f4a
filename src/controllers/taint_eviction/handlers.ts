import { deepEqual } from "../../base/mod.ts";
import { type Node, objectKey, type Pod } from "../../api/mod.ts";
import { deletedKey, type EventHandler, finalStateOf } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, type Change, changeOf } from "../running/mod.ts";
import type { TaintEvictionContext } from "./context.ts";
import { joinPodItem } from "./pod_item.ts";
import { evictingTaints } from "./sync.ts";

/** Queues a node when it is added or deleted, and when its NoExecute taints change in any way. */
export function nodeHandler(
  queue: Pick<WorkQueue, "add">,
  { changed }: Pick<TaintEvictionContext, "changed">,
): EventHandler<Node> {
  const enqueue = (name: string, node: Node | string, what: Change) => {
    changed.add(name);
    queue.add(name, cause("node", node, what));
  };
  return {
    onAdd: (node) => enqueue(objectKey(node), node, "added"),
    onUpdate: (before, node) => {
      if (deepEqual(evictingTaints(before), evictingTaints(node))) return;
      enqueue(objectKey(node), node, changeOf(before, node));
    },
    onDelete: (deleted) => enqueue(deletedKey(deleted), deletedKey(deleted), "deleted"),
  };
}

/** Queues a pod when it is added or deleted, is bound to a node, or its tolerations change. */
export function podHandler(queue: Pick<WorkQueue, "add">): EventHandler<Pod> {
  const enqueue = (key: string, pod: Pod | undefined, what: Change) => {
    const nodeName = pod?.spec?.nodeName ?? "";
    queue.add(joinPodItem({ key, nodeName }), cause("pod", pod ?? key, what));
  };
  return {
    onAdd: (pod) => enqueue(objectKey(pod), pod, "added"),
    onUpdate: (before, pod) => {
      const isSame = before.spec?.nodeName === pod.spec?.nodeName &&
        before.metadata?.uid === pod.metadata?.uid &&
        deepEqual(before.spec?.tolerations ?? [], pod.spec?.tolerations ?? []);
      if (!isSame) enqueue(objectKey(pod), pod, changeOf(before, pod));
    },
    onDelete: (deleted) => enqueue(deletedKey(deleted), finalStateOf(deleted), "deleted"),
  };
}
