import { type DaemonSet, type DaemonSetStatus, type Node } from "../../api/mod.ts";
import { isPodAvailable, isPodReady } from "../../rules/mod.ts";
import { byPrecedence, type PodsByNode } from "./daemon_pods.ts";
import type { Eligibility } from "./eligibility.ts";
import { isPodUpdated } from "./new_pod.ts";

const COUNTERS = [
  "desiredNumberScheduled",
  "currentNumberScheduled",
  "numberMisscheduled",
  "numberReady",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
] as const;

/** The numbers of a status. */
export type DaemonCounts = Required<Pick<DaemonSetStatus, typeof COUNTERS[number]>>;

/** The inputs for counting. */
export interface Counted {
  readonly daemonSet: DaemonSet;
  readonly nodes: readonly Node[];
  readonly pods: PodsByNode;
  readonly eligibilityOf: (node: string) => Eligibility;
  /** The current revision's. */
  readonly hash: string;
  /** The wall clock. */
  readonly nowMs: number;
}

/**
 * Counts nodes by their first pods, including terminating ones.
 * Upstream: `pkg/controller/daemon/daemon_controller.go` (updateDaemonSetStatus).
 */
export function countNodes({ daemonSet, nodes, pods, eligibilityOf, hash, nowMs }: Counted): DaemonCounts {
  const minReadySeconds = daemonSet.spec?.minReadySeconds ?? 0;
  let [desired, current, misscheduled, ready, available, updated] = [0, 0, 0, 0, 0, 0];
  for (const { metadata } of nodes) {
    const name = metadata?.name ?? "";
    const [first] = [...pods.get(name) ?? []].sort(byPrecedence);
    if (!eligibilityOf(name).shouldRun) {
      if (first) misscheduled++;
      continue;
    }
    desired++;
    if (!first) continue;
    current++;
    if (isPodReady(first)) {
      ready++;
      if (isPodAvailable(first, minReadySeconds, nowMs)) available++;
    }
    if (isPodUpdated(first, daemonSet, hash)) updated++;
  }
  return {
    desiredNumberScheduled: desired,
    currentNumberScheduled: current,
    numberMisscheduled: misscheduled,
    numberReady: ready,
    updatedNumberScheduled: updated,
    numberAvailable: available,
    numberUnavailable: desired - available,
  };
}

/** Whether the status says all this already, at the current generation. */
export function isSameStatus({ metadata, status }: DaemonSet, counts: DaemonCounts): boolean {
  return COUNTERS.every((counter) => (status?.[counter] ?? 0) === counts[counter]) &&
    (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0);
}
