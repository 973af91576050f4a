import { matchesNodeAffinity, type Pod } from "../../api/mod.ts";
import { untoleratedTaint } from "../../rules/mod.ts";
import { requestsOf } from "../common/mod.ts";
import type { SimulatedNode } from "./fleet.ts";

/** Why a kubelet rejects a pod. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

/**
 * Why a kubelet rejects a pod bound to its node; `undefined` if it accepts it. Pods from a scheduler fit; others are
 * bound by whoever sets `nodeName`. Upstream: `pkg/kubelet/lifecycle/predicate.go`, except for host ports.
 */
export function rejectionOf(pod: Pod, { object, room }: SimulatedNode): Rejection | undefined {
  if (!object) return undefined;
  for (const { resource, requested, used, capacity } of room.shortages(requestsOf(pod))) {
    // A node that does not know an extended resource ignores it, as something else may provide it.
    if (resource.includes("/") && !room.allocatable.has(resource)) continue;
    const amounts = `requested: ${requested}, used: ${used}, capacity: ${capacity}`;
    return { reason: `OutOf${resource}`, message: `Node didn't have enough resource: ${resource}, ${amounts}` };
  }
  const failed = (name: string, why: string) => ({ reason: name, message: `Predicate ${name} failed: ${why}` });
  if (!matchesNodeAffinity(pod, object)) {
    return failed("NodeAffinity", "node(s) didn't match Pod's node affinity/selector");
  }
  if (untoleratedTaint(object.spec?.taints, pod.spec?.tolerations, ["NoExecute"])) {
    return failed("TaintToleration", "node(s) had taints that the pod didn't tolerate");
  }
  return undefined;
}
