import { CONTROLLER_REVISION_HASH_LABEL, type Pod } from "../../api/mod.ts";
import { isPodAvailable, isPodReady } from "../../rules/mod.ts";
import { byPrecedence, isDeleting } from "./daemon_pods.ts";
import type { Eligibility } from "./eligibility.ts";

/** The inputs for deciding about a node's pods. */
export interface NodeView extends Eligibility {
  /** The current revision's. */
  readonly hash: string;
  readonly minReadySeconds: number;
  /** Whether the node may temporarily have two pods. */
  readonly allowsSurge: boolean;
  /** Whether this node's last failed pod was deleted so recently that the next one is kept for a while. */
  readonly isHeldBack: boolean;
  /** The wall clock. */
  readonly nowMs: number;
}

/** What to do on one node. */
export interface NodePlan {
  readonly isNeeded: boolean;
  readonly deleted: readonly Pod[];
  /** One of the deleted pods, which failed. */
  readonly failed: Pod | undefined;
  /** Those of the deleted pods that succeeded, which daemon pods should not do. */
  readonly succeeded: readonly Pod[];
  /** Whether there are failed pods that are kept for now. */
  readonly isHolding: boolean;
}

const NOTHING: NodePlan = { isNeeded: false, deleted: [], failed: undefined, succeeded: [], isHolding: false };

/**
 * Decides which pods to create and delete on a node, apart from updates.
 * Upstream: `pkg/controller/daemon/daemon_controller.go` (podsShouldBeOnNode).
 *
 * @param pods `undefined` if the node has none, not even a terminating one.
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
    // Without surge, a node gets its next pod only when the last one is completely gone.
    isNeeded: view.allowsSurge && view.shouldRun && running.length === 0,
    deleted: [...failed ? [failed] : [], ...succeeded, ...excess],
    failed,
    succeeded,
    isHolding: failing.length > (failed ? 1 : 0),
  };
}

/** The surplus pods, in order. */
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
