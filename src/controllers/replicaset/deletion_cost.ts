import { type Pod, POD_DELETION_COST_ANNOTATION } from "../../api/mod.ts";

/** No leading plus, no leading zero unless a minus comes before it. */
const COST = /^(0|[1-9]\d*|-\d+)$/;
const SMALLEST = -(2 ** 31);
const LARGEST = 2 ** 31 - 1;

/**
 * What it costs to delete the pod, by its annotation; 0 when that is missing or no 32-bit integer.
 * Upstream: `pkg/apis/core/helper/helpers.go` (GetDeletionCostFromPodAnnotations).
 */
export function deletionCost(pod: Pod): number {
  const text = pod.metadata?.annotations?.[POD_DELETION_COST_ANNOTATION];
  if (text === undefined || !COST.test(text)) return 0;
  const cost = Number(text);
  return cost < SMALLEST || cost > LARGEST ? 0 : cost + 0;
}
