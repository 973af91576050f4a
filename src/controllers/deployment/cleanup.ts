import type { Deployment, ReplicaSet } from "../../api/mod.ts";
import { revisionHistoryLimit } from "./bounds.ts";
import { sizeOf } from "./replica_sets.ts";
import { sortedByRevision } from "./revisions.ts";

/**
 * The old ReplicaSets beyond the history limit that may be deleted. Those beyond it are the ones with the lowest
 * revisions; one of them that has pods, or may have, is kept and no other goes in its place.
 * Upstream: `pkg/controller/deployment/sync.go` (cleanupDeployment).
 */
export function planCleanup(deployment: Deployment, old: readonly ReplicaSet[]): ReplicaSet[] {
  const limit = revisionHistoryLimit(deployment);
  if (limit === undefined) return [];
  const candidates = old.filter((replicaSet) => !replicaSet.metadata?.deletionTimestamp);
  const excess = candidates.length - limit;
  if (excess <= 0) return [];
  return sortedByRevision(candidates).slice(0, excess).filter(isUnused);
}

function isUnused(replicaSet: ReplicaSet): boolean {
  return (replicaSet.status?.replicas ?? 0) === 0 && sizeOf(replicaSet) === 0 &&
    (replicaSet.metadata?.generation ?? 0) <= (replicaSet.status?.observedGeneration ?? 0);
}
