import { type Node, objectKey } from "../../api/mod.ts";
import type { EventHandler } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "../running/mod.ts";
import type { ClusterSize } from "./cluster_size.ts";

/**
 * Counts nodes, and queues those that are added or updated. When the cluster's size calls for another TTL, the other
 * nodes get it with their next update: kubelets report at least every few minutes, which spreads the patches out.
 */
export function nodeHandler(
  { queue, size }: { readonly queue: Pick<WorkQueue, "add">; readonly size: ClusterSize },
): EventHandler<Node> {
  return {
    onAdd: (node) => {
      size.add();
      queue.add(objectKey(node), cause("node", node, "added"));
    },
    onUpdate: (before, node) => queue.add(objectKey(node), cause("node", node, changeOf(before, node))),
    onDelete: () => size.remove(),
  };
}
