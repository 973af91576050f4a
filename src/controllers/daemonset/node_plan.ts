import { CONTROLLER_REVISION_HASH_LABEL, type Pod } from "../../api/mod.ts";
import { isPodAvailable, isPodReady } from "../../rules/mod.ts";
import { byPrecedence, isDeleting } from "./daemon_pods.ts";
import type { Eligibility } from "./eligibility.ts";

/** By what a node's pods are judged. */
export interface NodeView extends Eligibility {
  /** Of the present revision. */
  readonly hash: string;
  readonly minReadySeconds: number;
  /** Whether the node may have two pods for a while. */
  readonly allowsSurge: boolean;
  /** Whether the last failed pod of this node was deleted so lately that the next one is kept for a while. */
  readonly isHeldBack: boolean;
  /** The wall clock. */
  readonly nowMs: number;
}

/** What to do on one node. */
export interface NodePlan {
  readonly isNeeded: boolean;
  readonly deleted: readonly Pod[];
  /** One of those deleted: because it failed. */
  readonly failed: Pod | undefined;
  /** Some of those deleted: because they ended well, which they should not. */
  readonly succeeded: readonly Pod[];
  /** Whether there are failed pods that are kept for now. */
  readonly isHolding: boolean;
}

const NOTHING: NodePlan = { isNeeded: false, deleted: [], failed: undefined, succeeded: [], isHolding: false };

/**
 * Decides what pods a node is to get and to lose, updates aside.
 * Upstream: `pkg/controller/daemon/daemon_controller.go` (podsShouldBeOnNode).
 *
 * @param pods `undefined` if the node has none, not even one that is going.
 */
export function planNode(pods: readonly Pod[] | undefined, view: NodeView): NodePlan {
  if (view.shouldRun && !pods) return { ...NOTHING, isNeeded: true };
  const present = (pods ?? []).filter((pod) => !isDeleting(pod));
  if (!view.shouldContinue) return { ...NOTHING, deleted: present };
  const failing = present.filter(({ status }) => status?.phase === "Failed");
  const failed = view.isHeldBack ? undefined : failing.at(0);
  const succeeded = present.filter(({ status }) => status?.phase === "Succeeded");
  const running = present.filter(({ status }) => status?.phase !== "Failed" && status?.phase !== "Succeeded");
  const excess = running.length > 1 ? excessOf(running.sort(byPrecedence), view) : [];
  return {
    // Without surge a node gets its next pod only when nothing is left of the last.
    isNeeded: view.allowsSurge && view.shouldRun && running.length === 0,
    deleted: [...failed ? [failed] : [], ...succeeded, ...excess],
    failed,
    succeeded,
    isHolding: failing.length > (failed ? 1 : 0),
  };
}

/** The pods that are too many, of several in order. */
function excessOf(
  running: readonly Pod[],
  { allowsSurge, hash, minReadySeconds, nowMs }: NodeView,
): readonly Pod[] {
  if (!allowsSurge) return running.slice(1);
  const isNew = ({ metadata }: Pod) => metadata?.labels?.[CONTROLLER_REVISION_HASH_LABEL] === hash;
  const newer = running.find(isNew);
  const older = running.find((pod) => !isNew(pod));
  const excess = running.filter((pod) => pod !== newer && pod !== older);
  if (!newer || !older) return excess;
  const isReplaced = !isPodReady(older) || isPodAvailable(newer, minReadySeconds, nowMs);
  return isReplaced ? [...excess, older] : excess;
}
