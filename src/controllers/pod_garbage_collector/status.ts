import { isPodTerminal } from "../../rules/mod.ts";
import type { Pod } from "../../api/mod.ts";
import { DISRUPTION_TARGET, podConditionPatch } from "../pods/mod.ts";

/** The reason and message for a pod whose node is gone, which Jobs' failure policies look for. */
const NODE_GONE = {
  type: DISRUPTION_TARGET,
  status: "True",
  reason: "DeletionByPodGC",
  message: "PodGC: node no longer exists",
} as const;

/**
 * The strategic merge patch of a pod's status that makes it `Failed` before it is deleted: no kubelet will. It includes
 * the pod's uid, so that it fails for another pod of that name, and only changed fields.
 * Upstream: `pkg/util/pod/pod.go` (PatchPodStatus).
 *
 * @param options.isNodeGone Whether to record that the pod ends because its node is gone.
 * @param options.nowMs The wall clock.
 * @returns `undefined` if the pod has ended already.
 */
export function failurePatch(
  pod: Pod,
  { isNodeGone, nowMs }: { readonly isNodeGone: boolean; readonly nowMs: number },
): unknown {
  if (isPodTerminal(pod)) return undefined;
  const { uid, generation } = pod.metadata ?? {};
  const status: Record<string, unknown> = { phase: "Failed" };
  if (generation !== pod.status?.observedGeneration) status.observedGeneration = generation;
  if (isNodeGone) Object.assign(status, podConditionPatch(pod, NODE_GONE, nowMs));
  return { metadata: { uid }, status };
}
