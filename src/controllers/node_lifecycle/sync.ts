import type { Node } from "../../api/mod.ts";
import { swapTaints, writeLabels } from "../nodes/mod.ts";
import { conditionTaintChanges } from "./condition_taints.ts";
import type { LifecycleContext } from "./context.ts";
import { missingLabels } from "./labels.ts";

type SyncContext = Pick<LifecycleContext, "world" | "client" | "recorder" | "nodes">;

/**
 * Gives a node the taints that its conditions require, and the deprecated labels, even if the taints cannot be written.
 * Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go` (doNodeProcessingPassWorker), which does not
 * retry failures: the taint of a node that has become ready stays until the node changes again.
 *
 * @param name The node's.
 * @throws {StatusError} If something could not be written; the rest is.
 */
export async function syncNode(name: string, context: SyncContext): Promise<void> {
  const node = context.nodes.get(undefined, name);
  if (!node) return;
  try {
    await taint(node, context);
  } finally {
    await label(node, context);
  }
}

async function taint(node: Node, { world, client }: SyncContext): Promise<void> {
  const changes = conditionTaintChanges(node);
  if (changes) await swapTaints(node, changes, { world, client });
}

async function label(node: Node, context: SyncContext): Promise<void> {
  const labels = missingLabels(node);
  if (labels) await writeLabels(node, labels, context);
}
