import { controllerOf, type DaemonSet, DAEMONSETS, joinKey, objectKey } from "../../api/mod.ts";
import { TurnBudget } from "../../base/mod.ts";
import { NODE_NAME_INDEX } from "../../cache/mod.ts";
import type { DaemonSetContext } from "./context.ts";
import { cause } from "../running/mod.ts";
import { type Eligibility, eligibilityOf } from "./eligibility.ts";

/**
 * Queues the DaemonSets that a change of a node affects.
 * Upstream: `pkg/controller/daemon/daemon_controller.go` (syncNodeUpdate).
 *
 * @param name The node's name.
 */
export async function syncNodeUpdate(
  name: string,
  { world, nodes, pods, daemonSets, queue }: Pick<
    DaemonSetContext,
    "world" | "nodes" | "pods" | "daemonSets" | "queue"
  >,
): Promise<void> {
  const node = nodes.get(undefined, name);
  if (!node) return;
  const present = new Set<string>();
  for (const pod of pods.byIndex(NODE_NAME_INDEX, name)) {
    const controller = controllerOf(pod);
    if (controller?.kind === DAEMONSETS.kind) present.add(joinKey(pod.metadata?.namespace, controller.name));
  }
  const budget = new TurnBudget(world.clock);
  for (const daemonSet of daemonSets.list()) {
    if (budget.spent) await budget.nextTurn();
    const hasPod = present.has(objectKey(daemonSet));
    if (matters(daemonSet, eligibilityOf(node, daemonSet), hasPod)) {
      queue.add(objectKey(daemonSet), cause("node", name, "updated"));
    }
  }
}

/**
 * Whether a node needs a pod of the DaemonSet, has one too many, or is (or was) one of those with a pod out of place.
 */
export function matters({ status }: DaemonSet, { shouldRun, shouldContinue }: Eligibility, hasPod: boolean): boolean {
  if (!hasPod) return shouldRun;
  return !shouldContinue || (status?.numberMisscheduled ?? 0) > 0;
}
