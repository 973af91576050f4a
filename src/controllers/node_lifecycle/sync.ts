import type { Node } from "../../api/mod.ts";
import { swapTaints, writeLabels } from "../nodes/mod.ts";
import { conditionTaintChanges } from "./condition_taints.ts";
import type { LifecycleContext } from "./context.ts";
import { missingLabels } from "./labels.ts";

/**
 * Gives a node the taints that its conditions require, and the deprecated labels. Failures are retried when the node
 * changes, or at the next resync.
 *
 * @param name The node's.
 */
export async function syncNode(
  name: string,
  context: Pick<LifecycleContext, "world" | "client" | "recorder" | "nodes">,
): Promise<void> {
  const node = context.nodes.get(undefined, name);
  if (!node) return;
  const { log } = context.world;
  await taint(node, context).catch((error) =>
    log.error("Failed to taint NoSchedule on node", { err: error, node: name })
  );
  await label(node, context).catch((error) =>
    log.error("Failed to reconcile labels for node", { err: error, node: name })
  );
}

async function taint(node: Node, { world, client }: Pick<LifecycleContext, "world" | "client">): Promise<void> {
  const changes = conditionTaintChanges(node);
  if (changes) await swapTaints(node, changes, { world, client });
}

async function label(node: Node, context: Pick<LifecycleContext, "world" | "client" | "recorder">): Promise<void> {
  const labels = missingLabels(node);
  if (labels) await writeLabels(node, labels, context);
}
