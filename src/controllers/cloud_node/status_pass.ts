import { type Node, objectKey } from "../../api/mod.ts";
import { parallelize, TurnBudget } from "../../base/mod.ts";
import { forCloud, type InstanceMetadata } from "../../cloud/mod.ts";
import { writeAddresses } from "./actions.ts";
import { changedAddresses } from "./addresses.ts";
import type { CloudNodeContext } from "./context.ts";
import { isUninitialized } from "./uninitialized.ts";

/**
 * Compares the addresses of all nodes with their cloud's. Failures are only logged, because the next pass retries.
 * Upstream: `k8s.io/cloud-provider/controllers/node/node_controller.go` (UpdateNodeStatus).
 */
export async function statusPass(context: CloudNodeContext, workers: number, signal: AbortSignal): Promise<void> {
  const { world: { clock, log }, nodes, instances } = context;
  const turns = new TurnBudget(clock); // answers come in batches, and each may contain many addresses
  const initialized = nodes.list().filter((node) => !isUninitialized(node));
  await parallelize(workers, initialized.length, async (i) => {
    const node = initialized[i];
    try {
      const known = await instances.instanceMetadata(forCloud(node), signal);
      while (turns.spent) await turns.nextTurn();
      if (known) await refreshAddresses(node, known, context);
    } catch (err) {
      log.error("Error getting instance metadata for node addresses", { err, node: objectKey(node) });
    }
  }, signal);
}

/** Writes a node's addresses if they differ from its cloud's. Never fails. Upstream: updateNodeAddress. */
export async function refreshAddresses(
  node: Node,
  { nodeAddresses }: InstanceMetadata,
  context: Pick<CloudNodeContext, "world" | "client">,
): Promise<void> {
  try {
    const addresses = changedAddresses(node, nodeAddresses ?? []);
    if (addresses) await writeAddresses(node, addresses, context);
  } catch (err) {
    context.world.log.error("Failed to update node addresses", { err, node: objectKey(node) });
  }
}
