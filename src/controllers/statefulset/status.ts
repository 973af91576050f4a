import { isPodAvailable, isPodReady } from "../../rules/mod.ts";
import type { Pod, StatefulSet, StatefulSetStatus } from "../../api/mod.ts";
import { revisionOfPod } from "./identity.ts";
import { replicasOf } from "./ordinals.ts";

/** What decides how a pod is counted. */
export interface CountOptions {
  readonly minReadySeconds: number;
  /** Names of the revisions. */
  readonly current: string;
  readonly update: string;
  /** The wall clock. */
  readonly nowMs: number;
}

/** The counts in a status. */
export type ReplicaCounts = Required<
  Pick<
    StatefulSetStatus,
    "replicas" | "readyReplicas" | "availableReplicas" | "currentReplicas" | "updatedReplicas"
  >
>;

/** Counts pods that exist. Upstream: `pkg/controller/statefulset/stateful_set_control.go` (computeReplicaStatus). */
export function countReplicas(
  pods: readonly Pod[],
  { minReadySeconds, current, update, nowMs }: CountOptions,
): ReplicaCounts {
  const counts = { replicas: 0, readyReplicas: 0, availableReplicas: 0, currentReplicas: 0, updatedReplicas: 0 };
  for (const pod of pods) {
    const phase = pod.status?.phase;
    if (!phase) continue;
    counts.replicas++;
    if (phase === "Running" && isPodReady(pod)) {
      counts.readyReplicas++;
      if (isPodAvailable(pod, minReadySeconds, nowMs)) counts.availableReplicas++;
    }
    if (pod.metadata?.deletionTimestamp) continue;
    const revision = revisionOfPod(pod);
    if (revision === current) counts.currentReplicas++;
    if (revision === update) counts.updatedReplicas++;
  }
  return counts;
}

/** The status once an update is complete: the revision that was rolled out becomes the current one. */
export function completed(set: StatefulSet, status: StatefulSetStatus): StatefulSetStatus {
  const wanted = replicasOf(set);
  const isComplete = set.spec?.updateStrategy?.type === "RollingUpdate" && status.updatedReplicas === wanted &&
    status.readyReplicas === wanted && status.replicas === wanted;
  if (!isComplete) return status;
  return { ...status, currentReplicas: status.updatedReplicas, currentRevision: status.updateRevision };
}

const COMPARED = [
  "replicas",
  "currentReplicas",
  "readyReplicas",
  "updatedReplicas",
  "availableReplicas",
] as const;

/** Whether the status is worth a write. A changed collision count alone is not; neither is it upstream. */
export function needsWrite({ status: before }: StatefulSet, status: StatefulSetStatus): boolean {
  return (status.observedGeneration ?? 0) > (before?.observedGeneration ?? 0) ||
    COMPARED.some((field) => (before?.[field] ?? 0) !== status[field]) ||
    (before?.currentRevision ?? "") !== status.currentRevision ||
    (before?.updateRevision ?? "") !== status.updateRevision;
}
