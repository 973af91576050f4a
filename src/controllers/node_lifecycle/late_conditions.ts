import { findCondition, type Node, type NodeCondition } from "../../api/mod.ts";

/** The conditions that kubelets set; NetworkUnavailable is not one of them. */
const BY_KUBELET = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/**
 * The conditions of a node that has been silent for too long: all Unknown.
 * Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go` (tryUpdateNodeHealth).
 *
 * @param now The wall clock in the conditions' format.
 */
export function lateConditions({ metadata, status }: Node, now: string): NodeCondition[] {
  const conditions = (status?.conditions ?? []).map((condition) => {
    const isFirst = findCondition(status?.conditions, condition.type) === condition;
    return isFirst && BY_KUBELET.includes(condition.type) ? unknown(condition, now) : condition;
  });
  const missing = BY_KUBELET.filter((type) => !findCondition(conditions, type)).map((type) => ({
    type,
    status: "Unknown",
    reason: "NodeStatusNeverUpdated",
    message: "Kubelet never posted node status.",
    lastHeartbeatTime: metadata?.creationTimestamp,
    lastTransitionTime: now,
  }));
  return [...conditions, ...missing];
}

function unknown(condition: NodeCondition, now: string): NodeCondition {
  if (condition.status === "Unknown") return condition;
  return {
    ...condition,
    status: "Unknown",
    reason: "NodeStatusUnknown",
    message: "Kubelet stopped posting node status.",
    lastTransitionTime: now,
  };
}
