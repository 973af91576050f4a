import { type Node, NODES } from "../../api/mod.ts";
import { isTimeout, isTooManyRequests, StatusError } from "../../client/mod.ts";
import type { EventRecorder } from "../../events/mod.ts";
import { refOf } from "../running/mod.ts";
import type { IpamContext } from "./context.ts";

/** How many immediate tries there are before the node is queued again. */
const TRIES = 3;

/**
 * Writes a node's ranges to it. If the server refuses them, they are freed. If the outcome is unknown, they stay the
 * node's until that shows.
 *
 * @param cidrs In the order of the cluster's ranges.
 * @throws {Error} If they were not written, as far as is known.
 */
export async function assign(
  node: Node,
  cidrs: readonly string[],
  { context, signal }: { readonly context: IpamContext; readonly signal: AbortSignal },
): Promise<void> {
  const { client, world: { log }, recorder, ranges } = context;
  const { name, uid } = node.metadata ?? {};
  // Includes the uid, which upstream leaves out: another node of that name has its own ranges.
  const body = { metadata: { uid }, spec: { podCIDR: cidrs[0], podCIDRs: cidrs } };
  let failure: unknown;
  for (let tries = 0; tries < TRIES && !signal.aborted; tries++) {
    try {
      await client.patch(NODES, refOf(node), { type: "strategic", body, signal });
      log.info("Set node PodCIDR", { node: name, podCIDRs: cidrs.join(",") });
      return;
    } catch (error) {
      failure = error;
      if (isRefusal(error)) break;
    }
  }
  if (signal.aborted) throw failure ?? signal.reason;
  log.error("CIDR assignment for node failed", { err: failure, node: name, podCIDRs: cidrs.join(",") });
  reportStatus(recorder, node, "CIDRAssignmentFailed");
  if (isRefusal(failure)) ranges.withdraw(node);
  throw failure;
}

/** Records a node's status change in an event. Upstream: `pkg/controller/util/node` (RecordNodeStatusChange). */
export function reportStatus(
  recorder: EventRecorder,
  { metadata: { name, uid } = {} }: Node,
  status: "CIDRNotAvailable" | "CIDRAssignmentFailed",
): void {
  const reference = { apiVersion: "v1", kind: "Node", name, uid };
  recorder.event(reference, "Normal", status, `Node ${name} status is now: ${status}`);
}

/** Whether the server certainly did not write, and will not. */
function isRefusal(error: unknown): boolean {
  return error instanceof StatusError && error.code >= 400 && error.code < 500 && !isTooManyRequests(error) &&
    !isTimeout(error);
}
