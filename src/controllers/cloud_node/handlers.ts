import { type Node, objectKey } from "../../api/mod.ts";
import type { EventHandler } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "../running/mod.ts";
import { missingLabels } from "./beta_labels.ts";
import { isUninitialized } from "./uninitialized.ts";

/** Queues new and changed nodes that need work; upstream queues all. */
export function nodeHandler(queue: Pick<WorkQueue, "add">): EventHandler<Node> {
  const hasWork = (node: Node) => isUninitialized(node) || missingLabels(node) !== undefined;
  return {
    onAdd: (node) => hasWork(node) && queue.add(objectKey(node), cause("node", node, "added")),
    onUpdate: (before, node) =>
      hasWork(node) && queue.add(objectKey(node), cause("node", node, changeOf(before, node))),
  };
}
