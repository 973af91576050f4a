import { findCondition, formatTime, type Node, NODES, objectKey, type Pod, PODS } from "../../api/mod.ts";
import { isNotFound } from "../../client/mod.ts";
import { aggregateErrors, refOf, serverSays, withCondition } from "../running/mod.ts";
import type { LifecycleContext } from "./context.ts";
import { lateConditions } from "./late_conditions.ts";

/** What writing to pods and nodes needs. */
export type ActionContext = Pick<LifecycleContext, "world" | "client" | "recorder">;

/**
 * Sets a node's conditions to Unknown. Only conditions are sent, because the cache keeps nothing else of the status;
 * they replace those of the version that was read.
 *
 * @returns The node with the conditions that were written.
 * @throws {StatusError} Usually because the cache was behind.
 */
export async function writeLateStatus(node: Node, { world: { clock }, client }: ActionContext): Promise<Node> {
  const conditions = lateConditions(node, formatTime(clock.wallMs()));
  const body = { metadata: { resourceVersion: node.metadata?.resourceVersion }, status: { conditions } };
  await client.patch(NODES, refOf(node), { type: "merge", body, subresource: "status" });
  return { ...node, status: { ...node.status, conditions } };
}

/**
 * Marks pods as not ready because their node is not. Pods that are gone are skipped.
 * Upstream: `pkg/controller/util/node/controller_utils.go` (MarkPodsNotReady).
 *
 * @throws {StatusError | AggregateError} If not all could be marked; the others are.
 */
export async function markPodsNotReady(
  pods: readonly Pod[],
  { world: { clock, log }, client, recorder }: ActionContext,
): Promise<void> {
  const errors: unknown[] = [];
  for (const pod of pods) {
    const ready = findCondition(pod.status?.conditions, "Ready");
    if (!ready || ready.status === "False") continue;
    const conditions = withCondition(pod.status?.conditions, { ...ready, status: "False" }, clock.wallMs());
    try {
      await client.updateStatus(PODS, { ...pod, status: { ...pod.status, conditions } });
    } catch (error) {
      if (serverSays(error, isNotFound)) continue;
      log.info("Failed to update status for pod", { err: error, pod: objectKey(pod) });
      errors.push(error);
    }
    // Also if the write failed, as upstream does.
    recorder.event(pod, "Warning", "NodeNotReady", "Node is not ready");
  }
  const error = aggregateErrors(errors);
  if (error) throw error;
}

/** Records an event about a node. */
export function nodeEvent(
  { metadata }: Node,
  reason: string,
  message: string,
  { recorder }: Pick<ActionContext, "recorder">,
): void {
  const { name = "", uid } = metadata ?? {};
  recorder.event({ apiVersion: "v1", kind: "Node", name, uid }, "Normal", reason, message);
}
