import { type Deployment, objectKey, type ReplicaSet, scaledValue } from "../../api/mod.ts";
import { byCreation } from "../running/mod.ts";
import { desiredReplicas, minAvailable } from "./bounds.ts";
import { allOf, availableOf, type ReplicaSets, sizeOf, totalAvailable, totalSize } from "./replica_sets.ts";

/** An old ReplicaSet and its size after a reduction. */
export interface Reduction {
  readonly replicaSet: ReplicaSet;
  readonly replicas: number;
}

/**
 * The size of the current ReplicaSet at this stage of the rollout: as large as the surge allows beside the old ones or,
 * with `Recreate`, the full size. Upstream: `pkg/controller/deployment/util` (NewRSNewReplicas).
 *
 * @param size Its current size; 0 if it is to be created.
 * @param total The sum of all sizes, including its own.
 * @throws {Error} If `maxSurge` is missing or not a number, or the strategy is unknown.
 */
export function currentSize(deployment: Deployment, { size, total }: { size: number; total: number }): number {
  const wanted = desiredReplicas(deployment);
  const strategy = deployment.spec?.strategy;
  switch (strategy?.type) {
    case "RollingUpdate": {
      const surge = scaledValue(strategy.rollingUpdate?.maxSurge, wanted, { roundUp: true });
      const room = wanted + surge - total;
      return room <= 0 ? size : size + Math.min(room, wanted - size);
    }
    case "Recreate":
      return wanted;
    default:
      throw new Error(`deployment type ${strategy?.type ?? ""} isn't supported`);
  }
}

/** The size that a rolling update gives the current ReplicaSet now. */
export function planCurrent(deployment: Deployment, replicaSets: ReplicaSets, current: ReplicaSet): number {
  const wanted = desiredReplicas(deployment);
  const size = sizeOf(current);
  return size >= wanted ? wanted : currentSize(deployment, { size, total: totalSize(allOf(replicaSets)) });
}

/**
 * How many pods old ReplicaSets may lose in total; pods missing in the current one count as already lost.
 * Upstream: `pkg/controller/deployment/rolling.go` (reconcileOldReplicaSets), with its examples.
 */
export function maxReduction(deployment: Deployment, replicaSets: ReplicaSets, current: ReplicaSet): number {
  const missing = sizeOf(current) - availableOf(current);
  return totalSize(allOf(replicaSets)) - minAvailable(deployment) - missing;
}

/**
 * Removes unavailable pods, oldest ReplicaSet first: that costs nothing, and a stuck old one could otherwise block the
 * rollout for ever. Upstream: `pkg/controller/deployment/rolling.go` (cleanupUnhealthyReplicas).
 *
 * @param limit The most to remove in total.
 * @throws {Error} If a ReplicaSet has more available pods than its size: its status lags behind an earlier reduction,
 *   so nothing can be concluded from it.
 */
export function* unhealthyReductions(old: readonly ReplicaSet[], limit: number): Generator<Reduction> {
  let left = limit;
  for (const replicaSet of old.toSorted(byCreation)) {
    if (left <= 0) return;
    const size = sizeOf(replicaSet);
    const unavailable = size - availableOf(replicaSet);
    if (size === 0 || unavailable === 0) continue;
    const by = Math.min(left, unavailable);
    if (by < 0) {
      throw new Error(
        `when cleaning up unhealthy replicas, got invalid request to scale down ${objectKey(replicaSet)} ` +
          `${size} -> ${size - by}`,
      );
    }
    left -= by;
    yield { replicaSet, replicas: size - by };
  }
}

/**
 * Removes available pods beyond the required number, oldest ReplicaSet first.
 * Upstream: `pkg/controller/deployment/rolling.go` (scaleDownOldReplicaSetsForRollingUpdate).
 *
 * @param replicaSets With the sizes that {@link unhealthyReductions} left.
 */
export function surplusReductions(deployment: Deployment, replicaSets: ReplicaSets): Reduction[] {
  let left = totalAvailable(allOf(replicaSets)) - minAvailable(deployment);
  const reductions: Reduction[] = [];
  for (const replicaSet of replicaSets.old.toSorted(byCreation)) {
    const size = sizeOf(replicaSet);
    if (left <= 0 || size === 0) continue;
    const by = Math.min(size, left);
    left -= by;
    reductions.push({ replicaSet, replicas: size - by });
  }
  return reductions;
}
