import { deepEqual } from "../../base/mod.ts";
import type { Deployment, DeploymentStatus, ReplicaSet } from "../../api/mod.ts";
import { desiredReplicas, minAvailable } from "./bounds.ts";
import { AVAILABLE, newCondition, setCondition } from "./conditions.ts";
import { allOf, type ReplicaSets, totalAvailable, totalPods, totalSize } from "./replica_sets.ts";

/**
 * The status computed from the ReplicaSets, with the condition `Available`. Counters that are 0 are absent, as the API
 * server stores them. Upstream: `pkg/controller/deployment/sync.go` (calculateStatus).
 *
 * @param nowMs The wall clock.
 */
export function calculateStatus(deployment: Deployment, replicaSets: ReplicaSets, nowMs: number): DeploymentStatus {
  const all = allOf(replicaSets);
  const available = totalAvailable(all);
  const ready = all.reduce((sum, replicaSet) => sum + (replicaSet.status?.readyReplicas ?? 0), 0);
  const isAvailable = available >= minAvailable(deployment);
  const condition = newCondition({
    type: AVAILABLE,
    status: isAvailable ? "True" : "False",
    reason: isAvailable ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
    message: isAvailable ? "Deployment has minimum availability." : "Deployment does not have minimum availability.",
  }, nowMs);
  return {
    observedGeneration: deployment.metadata?.generation || undefined,
    replicas: totalPods(all) || undefined,
    updatedReplicas: replicaSets.current?.status?.replicas || undefined,
    readyReplicas: ready || undefined,
    availableReplicas: available || undefined,
    unavailableReplicas: Math.max(0, totalSize(all) - available) || undefined,
    terminatingReplicas: totalTerminating(all),
    collisionCount: deployment.status?.collisionCount, // without it, a later collision would choose a name that is taken
    conditions: setCondition(deployment.status?.conditions, condition),
  };
}

/** Whether writing `after` over `before` would change nothing; an absent plain counter is 0. */
export function isSameStatus(before: DeploymentStatus | undefined, after: DeploymentStatus): boolean {
  const counters = [
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
  ] as const;
  return counters.every((name) => (before?.[name] ?? 0) === (after[name] ?? 0)) &&
    before?.terminatingReplicas === after.terminatingReplicas &&
    before?.collisionCount === after.collisionCount &&
    deepEqual(before?.conditions ?? [], after.conditions ?? []);
}

/**
 * Whether all wanted pods are updated and available, no others are left, and the status is for the current generation.
 * Upstream: `pkg/controller/deployment/util` (DeploymentComplete).
 */
export function isComplete(deployment: Deployment, status: DeploymentStatus | undefined): boolean {
  const wanted = desiredReplicas(deployment);
  return (status?.updatedReplicas ?? 0) === wanted && (status?.replicas ?? 0) === wanted &&
    (status?.availableReplicas ?? 0) === wanted &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata?.generation ?? 0);
}

/** Unknown if a synced ReplicaSet does not report it, because a controller before 1.33 wrote its status. */
function totalTerminating(replicaSets: readonly ReplicaSet[]): number | undefined {
  let sum = 0;
  for (const { status } of replicaSets) {
    if (!status?.observedGeneration) continue;
    if (status.terminatingReplicas === undefined) return undefined;
    sum += status.terminatingReplicas;
  }
  return sum;
}
