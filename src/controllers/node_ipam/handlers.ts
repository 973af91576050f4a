import { type Node, objectKey } from "../../api/mod.ts";
import { type EventHandler, finalStateOf } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "../running/mod.ts";
import type { NodeRanges } from "./node_ranges.ts";

/** A change of a node queues it; one that is gone frees its ranges. */
export function nodeHandler(queue: Pick<WorkQueue, "add">, ranges: Pick<NodeRanges, "forget">): EventHandler<Node> {
  return {
    onAdd: (node) => queue.add(objectKey(node), cause("node", node, "added")),
    onUpdate: (before, node) => {
      if (before.metadata?.uid !== node.metadata?.uid) ranges.forget(before);
      queue.add(objectKey(node), cause("node", node, changeOf(before, node)));
    },
    onDelete: (deleted) => {
      const node = finalStateOf(deleted);
      if (node) ranges.forget(node);
    },
  };
}
