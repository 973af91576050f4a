import { deepEqual, errorText } from "../../base/mod.ts";
import { findCondition, formatTime, type Pod, type ReplicaSetCondition, type ReplicaSetStatus } from "../../api/mod.ts";
import { isPodAvailable, isPodReady } from "../../rules/mod.ts";
import type { ReplicaKind, ReplicaOwner } from "./kind.ts";

const REPLICA_FAILURE = "ReplicaFailure";

/** The inputs of a status. */
export interface ObservedPods {
  /** The owner's active pods. */
  readonly active: readonly Pod[];
  /** How many more are terminating. */
  readonly terminating: number;
  /** Why creating or deleting failed in this sync, if it did. */
  readonly failure: unknown;
  /** The wall clock. */
  readonly nowMs: number;
}

/**
 * The status for these pods. Counters that are 0 are absent, as the API server stores them, except those it stores as
 * 0. Upstream: `pkg/controller/replicaset/replica_set_utils.go` (calculateStatus).
 */
export function computeStatus<T extends ReplicaOwner>(
  kind: ReplicaKind<T>,
  owner: T,
  { active, terminating, failure, nowMs }: ObservedPods,
): ReplicaSetStatus {
  const minReadySeconds = kind.minReadySecondsOf(owner);
  const templateLabels = Object.entries(kind.templateOf(owner)?.metadata?.labels ?? {});
  let fullyLabeled = 0;
  let ready = 0;
  let available = 0;
  for (const pod of active) {
    const labels = pod.metadata?.labels;
    if (templateLabels.every(([key, value]) => labels?.[key] === value)) fullyLabeled++;
    if (!isPodReady(pod)) continue;
    ready++;
    if (isPodAvailable(pod, minReadySeconds, nowMs)) available++;
  }
  return {
    ...owner.status,
    replicas: active.length,
    fullyLabeledReplicas: fullyLabeled || undefined,
    readyReplicas: ready || undefined,
    availableReplicas: available || undefined,
    ...(kind.countsTerminating ? { terminatingReplicas: terminating } : {}),
    observedGeneration: owner.metadata?.generation || undefined,
    conditions: withFailure(owner.status?.conditions, failure, {
      reason: active.length < kind.replicasOf(owner) ? "FailedCreate" : "FailedDelete",
      nowMs,
    }),
  };
}

/** Whether writing `after` over `before` would change nothing; absent counters are 0, except the terminating ones. */
export function isSameStatus(before: ReplicaSetStatus | undefined, after: ReplicaSetStatus): boolean {
  return (before?.replicas ?? 0) === after.replicas &&
    (before?.fullyLabeledReplicas ?? 0) === (after.fullyLabeledReplicas ?? 0) &&
    (before?.readyReplicas ?? 0) === (after.readyReplicas ?? 0) &&
    (before?.availableReplicas ?? 0) === (after.availableReplicas ?? 0) &&
    before?.terminatingReplicas === after.terminatingReplicas &&
    (before?.observedGeneration ?? 0) === (after.observedGeneration ?? 0) &&
    deepEqual(before?.conditions ?? [], after.conditions ?? []);
}

/** A failure that is reported already keeps its first reason and message. */
function withFailure(
  conditions: ReplicaSetCondition[] | undefined,
  failure: unknown,
  { reason, nowMs }: { reason: string; nowMs: number },
): ReplicaSetCondition[] | undefined {
  const isReported = findCondition(conditions, REPLICA_FAILURE) !== undefined;
  if (isReported === (failure !== undefined)) return conditions;
  if (failure === undefined) return conditions?.filter(({ type }) => type !== REPLICA_FAILURE);
  return [...conditions ?? [], {
    type: REPLICA_FAILURE,
    status: "True",
    reason,
    message: errorText(failure),
    lastTransitionTime: formatTime(nowMs),
  }];
}
