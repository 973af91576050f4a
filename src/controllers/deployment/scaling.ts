import type { Deployment, ReplicaSet } from "../../api/mod.ts";
import { desiredReplicasOf, maxReplicasOf } from "./annotations.ts";
import { desiredReplicas, isRollingUpdate, maxReplicas } from "./bounds.ts";
import {
  activeOf,
  activeOrLatest,
  allOf,
  bySizeNewestFirst,
  bySizeOldestFirst,
  isSaturated,
  type ReplicaSets,
  sizeOf,
  totalSize,
} from "./replica_sets.ts";

/** A ReplicaSet and its new size. */
export interface Resize {
  readonly replicaSet: ReplicaSet;
  readonly replicas: number;
  /** Whether to update its annotations even if the size stays. */
  readonly isForced: boolean;
}

/** Whether the Deployment's size changed since one of its active ReplicaSets was scaled. */
export function isScalingEvent(deployment: Deployment, replicaSets: ReplicaSets): boolean {
  return activeOf(allOf(replicaSets)).some((replicaSet) => {
    const desired = desiredReplicasOf(replicaSet);
    return desired !== undefined && desired !== desiredReplicas(deployment);
  });
}

/**
 * The ReplicaSets' sizes when the Deployment is scaled or paused: the full size for a single active one, zero for old
 * ones beside a saturated current one, otherwise a share in proportion to each one's size.
 * Upstream: `pkg/controller/deployment/sync.go` (scale).
 */
export function planScaling(deployment: Deployment, replicaSets: ReplicaSets): Resize[] {
  const only = activeOrLatest(replicaSets);
  if (only) return [{ replicaSet: only, replicas: desiredReplicas(deployment), isForced: false }];
  if (isSaturated(deployment, replicaSets.current)) {
    return activeOf(replicaSets.old).map((replicaSet) => ({ replicaSet, replicas: 0, isForced: false }));
  }
  return isRollingUpdate(deployment) ? shareOut(deployment, activeOf(allOf(replicaSets))) : [];
}

/** The largest one absorbs rounding differences. */
function shareOut(deployment: Deployment, active: ReplicaSet[]): Resize[] {
  const allowed = desiredReplicas(deployment) > 0 ? maxReplicas(deployment) : 0;
  const toAdd = allowed - totalSize(active);
  if (toAdd > 0) active.sort(bySizeNewestFirst);
  else if (toAdd < 0) active.sort(bySizeOldestFirst);
  let added = 0;
  const sizes = active.map((replicaSet) => {
    const share = shareOf(deployment, replicaSet, { toAdd, added });
    added += share;
    return sizeOf(replicaSet) + share;
  });
  if (sizes.length > 0) sizes[0] = Math.max(0, sizes[0] + toAdd - added);
  return active.map((replicaSet, i) => ({ replicaSet, replicas: sizes[i], isForced: true }));
}

function shareOf(
  deployment: Deployment,
  replicaSet: ReplicaSet,
  { toAdd, added }: { readonly toAdd: number; readonly added: number },
): number {
  if (toAdd === added) return 0;
  const fraction = fractionOf(deployment, replicaSet);
  return toAdd > 0 ? Math.min(fraction, toAdd - added) : Math.max(fraction, toAdd - added);
}

/**
 * What a ReplicaSet gains or loses to keep its share of the whole.
 * Upstream: `pkg/controller/deployment/util` (getReplicaSetFraction).
 */
export function fractionOf(deployment: Deployment, replicaSet: ReplicaSet): number {
  const size = sizeOf(replicaSet);
  if (desiredReplicas(deployment) === 0) return -size;
  const before = maxReplicasOf(replicaSet) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0; // the annotation was removed, and no pod could be created
  // Upstream multiplies in 32 bits, so this overflows like it.
  const exact = Math.imul(size, maxReplicas(deployment)) / before;
  return Math.trunc(exact + Math.sign(exact) * 0.5) - size;
}
