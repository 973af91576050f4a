import { type Node, objectKey, type Pod } from "../../api/mod.ts";
import { deletedKey, type EventHandler } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "../running/mod.ts";
import type { LifecycleContext } from "./context.ts";

/** Queues new and changed nodes, and forgets deleted ones. */
export function nodeHandler(
  queue: Pick<WorkQueue, "add">,
  { healths, unmarked }: Pick<LifecycleContext, "healths" | "unmarked">,
): EventHandler<Node> {
  const forget = (name: string) => {
    healths.delete(name);
    unmarked.delete(name);
  };
  return {
    onAdd: (node) => queue.add(objectKey(node), cause("node", node, "added")),
    onUpdate: (before, node) => {
      if (before.metadata?.uid !== node.metadata?.uid) forget(objectKey(node));
      queue.add(objectKey(node), cause("node", node, changeOf(before, node)));
    },
    onDelete: (deleted) => forget(deletedKey(deleted)),
  };
}

/** Queues a pod when it is bound to a node. */
export function podHandler(queue: Pick<WorkQueue, "add">): EventHandler<Pod> {
  const enqueue = (pod: Pod, what: "added" | "updated") => {
    if (pod.spec?.nodeName) queue.add(objectKey(pod), cause("pod", pod, what));
  };
  return {
    onAdd: (pod) => enqueue(pod, "added"),
    onUpdate: (before, pod) => {
      if (before.spec?.nodeName !== pod.spec?.nodeName) enqueue(pod, "updated");
    },
  };
}
