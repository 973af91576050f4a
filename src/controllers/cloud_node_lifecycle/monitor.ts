import { findCondition, type Node, objectKey } from "../../api/mod.ts";
import { forCloud } from "../../cloud/mod.ts";
import { deleteNode, markShutdown, unmarkShutdown } from "./actions.ts";
import type { CloudLifecycleContext } from "./context.ts";

/**
 * Looks at all nodes, one after the other: deletes those whose machine is gone, and taints those whose machine is
 * stopped. Ready nodes are skipped. After a failure, which is logged, that node is left alone until the next pass.
 * Upstream: `k8s.io/cloud-provider/controllers/nodelifecycle` (MonitorNodes).
 */
export async function monitorNodes(context: CloudLifecycleContext, signal: AbortSignal): Promise<void> {
  const { log } = context.world;
  for (const node of context.nodes.list()) {
    if (signal.aborted) return;
    try {
      await monitorNode(node, context, signal);
    } catch (err) {
      if (!signal.aborted) log.error("Cannot tell what has become of a node's machine", { err, node: objectKey(node) });
    }
  }
}

async function monitorNode(node: Node, context: CloudLifecycleContext, signal: AbortSignal): Promise<void> {
  const { instances } = context;
  const isReady = findCondition(node.status?.conditions, "Ready")?.status === "True";
  if (isReady) return await unmarkShutdown(node, context);
  const asked = forCloud(node);
  const exists = await instances.instanceExists(asked, signal);
  if (signal.aborted) return;
  if (exists === false) return await deleteNode(node, context); // only this exact answer counts
  const isShutdown = await instances.instanceShutdown(asked, signal);
  if (isShutdown && !signal.aborted) await markShutdown(node, context);
}
