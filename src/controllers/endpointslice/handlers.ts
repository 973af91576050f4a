import { type Node, TOPOLOGY_ZONE_LABEL } from "../../api/mod.ts";
import { deletedKey, type EventHandler } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "../running/mod.ts";
import { isNodeReady } from "./hints/zone_shares.ts";

/** The only key of the queue for checking all nodes. */
const ALL_NODES = "nodes";

/** A node that is created, deleted, or changes its readiness or zone causes a check of all nodes. */
export function nodeHandler(queue: Pick<WorkQueue, "add">): EventHandler<Node> {
  return {
    onAdd: (node) => queue.add(ALL_NODES, cause("node", node, "added")),
    onUpdate: (before, node) => {
      if (isNodeReady(before) === isNodeReady(node) && zoneOf(before) === zoneOf(node)) return;
      queue.add(ALL_NODES, cause("node", node, changeOf(before, node)));
    },
    onDelete: (deleted) => queue.add(ALL_NODES, cause("node", deletedKey(deleted), "deleted")),
  };
}

function zoneOf({ metadata }: Node): string | undefined {
  return metadata?.labels?.[TOPOLOGY_ZONE_LABEL];
}
