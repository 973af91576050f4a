import { isPodReady } from "../../rules/mod.ts";
import { parseTime, type Pod, type Time } from "../../api/mod.ts";

/** How long after its eviction a pod's deletion should be observed. */
const DELETION_TIMEOUT_MS = 2 * 60_000;

/** Pods by name, with the time of their eviction. */
export type DisruptedPods = Readonly<Record<string, Time>>;

/** The state of evicted pods. */
export interface Disruptions {
  /** Those that are still expected to be deleted. */
  readonly kept: DisruptedPods;
  /** Those that should have been deleted and were not. */
  readonly overdue: readonly Pod[];
  /** When the first of those expected becomes overdue, in milliseconds from now. */
  readonly recheckInMs?: number;
}

/**
 * Checks the pods that the eviction subresource recorded in a budget. Pods that are gone or being deleted no longer
 * need an entry. Upstream: `pkg/controller/disruption/disruption.go` (buildDisruptedPodMap).
 *
 * @param pods Those that the budget selects.
 * @param nowMs The wall clock.
 */
export function disruptionsOf(
  disrupted: DisruptedPods | undefined,
  pods: readonly Pod[],
  nowMs: number,
): Disruptions {
  const kept: Record<string, Time> = {};
  const overdue: Pod[] = [];
  let recheckInMs: number | undefined;
  for (const pod of pods) {
    const { name = "", deletionTimestamp } = pod.metadata ?? {};
    const since = entryOf(disrupted, name);
    if (deletionTimestamp || since === undefined) continue;
    const leftMs = leftOf(since, nowMs);
    if (leftMs < 0) {
      overdue.push(pod);
      continue;
    }
    kept[name] = since;
    recheckInMs = Math.min(recheckInMs ?? Infinity, leftMs);
  }
  return { kept, overdue, recheckInMs };
}

/** How many of the pods are ready and will probably stay: neither being deleted nor expected to be. */
export function countHealthy(pods: readonly Pod[], kept: DisruptedPods, nowMs: number): number {
  return pods.filter((pod) => {
    const { name = "", deletionTimestamp } = pod.metadata ?? {};
    const since = entryOf(kept, name);
    const isExpectedToGo = since !== undefined && leftOf(since, nowMs) > 0;
    return !deletionTimestamp && !isExpectedToGo && isPodReady(pod);
  }).length;
}

/** A pod may be called `constructor`. */
function entryOf(disrupted: DisruptedPods | undefined, name: string): Time | undefined {
  return disrupted && Object.hasOwn(disrupted, name) ? disrupted[name] : undefined;
}

function leftOf(since: Time, nowMs: number): number {
  return parseTime(since) + DELETION_TIMEOUT_MS - nowMs;
}
