import { byKey } from "../running/mod.ts";
import { assign, reportStatus } from "./actions.ts";
import type { IpamContext } from "./context.ts";

/**
 * Gives a node a block of each of the cluster's ranges. Existing ranges of a node are never changed, only reserved.
 * Upstream: `pkg/controller/nodeipam/ipam/range_allocator.go` (syncNode).
 *
 * @param name The node's.
 * @throws {Error} If the node must be retried: no block is left, the write failed, or its ranges are invalid.
 */
export async function syncNode(
  name: string,
  context: IpamContext,
  signal: AbortSignal,
): Promise<void> {
  const { nodes, ranges, recorder } = context;
  const node = byKey(nodes, name);
  if (!node) return;
  if (node.spec?.podCIDRs?.length) return ranges.occupy(node);
  if (node.metadata?.deletionTimestamp) return;
  let proposed: readonly string[];
  try {
    proposed = ranges.propose(node);
  } catch (error) {
    reportStatus(recorder, node, "CIDRNotAvailable");
    throw error;
  }
  await assign(node, proposed, { context, signal });
}
