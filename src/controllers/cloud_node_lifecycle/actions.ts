import { type Node, NODES, objectKey } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import type { EventType } from "../../events/mod.ts";
import { addTaints, removeTaints } from "../nodes/mod.ts";
import { refOf, serverSays } from "../running/mod.ts";
import type { CloudLifecycleContext } from "./context.ts";

/** The taint of a node whose machine is stopped. */
const SHUTDOWN = { key: "node.cloudprovider.kubernetes.io/shutdown", effect: "NoSchedule" } as const;

/**
 * Deletes a node, but not a new one of the same name. A node that is already gone is not an error; other errors are
 * logged.
 */
export async function deleteNode(node: Node, context: CloudLifecycleContext): Promise<void> {
  const { client, world: { log } } = context;
  const name = objectKey(node);
  tell(
    node,
    "Normal",
    "DeletingNode",
    `Deleting node ${name} because it does not exist in the cloud provider`,
    context,
  );
  try {
    await client.delete(NODES, refOf(node), { preconditions: { uid: node.metadata?.uid } });
  } catch (err) {
    if (serverSays(err, isNotFound)) return;
    log.error("Unable to delete node", { err, node: name });
    tell(node, "Warning", "DeletingNodeFailed", `Failed deleting node ${name}: ${errorText(err)}`, context);
  }
}

function tell(
  { metadata }: Node,
  type: EventType,
  reason: string,
  message: string,
  { recorder }: CloudLifecycleContext,
): void {
  const { name = "", uid } = metadata ?? {};
  recorder.event({ apiVersion: "v1", kind: "Node", name, uid }, type, reason, message);
}

/**
 * Taints a node whose machine is stopped, so that volumes may be attached elsewhere.
 * @throws {StatusError}
 */
export async function markShutdown(node: Node, context: CloudLifecycleContext): Promise<void> {
  await addTaints(node, [SHUTDOWN], context);
}

/**
 * Removes that taint.
 * @throws {StatusError}
 */
export async function unmarkShutdown(node: Node, context: CloudLifecycleContext): Promise<void> {
  await removeTaints(node, [SHUTDOWN], context);
}
