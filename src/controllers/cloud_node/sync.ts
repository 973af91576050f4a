import { writeLabels } from "../nodes/mod.ts";
import { byKey } from "../running/mod.ts";
import { missingLabels } from "./beta_labels.ts";
import type { CloudNodeContext } from "./context.ts";
import { initialize } from "./initialize.ts";
import { isUninitialized } from "./uninitialized.ts";

/**
 * Initializes a node that waits for that, and keeps the labels of others consistent.
 * Upstream: `k8s.io/cloud-provider/controllers/node/node_controller.go` (syncNode).
 *
 * @param key The node's name.
 * @throws {Error} If the key must be retried.
 */
export async function syncNode(key: string, context: CloudNodeContext, signal: AbortSignal): Promise<void> {
  const node = byKey(context.nodes, key);
  if (!node) return;
  if (isUninitialized(node)) return await initialize(node, context, signal);
  const labels = missingLabels(node);
  if (labels) await writeLabels(node, labels, context);
}
