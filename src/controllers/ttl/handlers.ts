import { type Node, objectKey } from "../../api/mod.ts";
import type { EventHandler } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "../running/mod.ts";
import type { ClusterSize } from "./cluster_size.ts";

/**
 * Counts nodes, and queues those that come or change. When the size of the cluster asks for another time, the others get it with
 * their next change: kubelets report every few minutes at the latest, and so the patches do not come all at once.
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
