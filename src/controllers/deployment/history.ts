import { type Deployment, type KubeObject, type ReplicaSet, REVISION_ANNOTATION } from "../../api/mod.ts";
import { parseInt64 } from "../../base/mod.ts";
import { byCreation } from "../running/mod.ts";
import { revisionHistoryLimit } from "./bounds.ts";
import { sizeOf } from "./replica_sets.ts";

/** The revision in the object's annotation: 0 without one, `undefined` if it is not a number. */
export function revisionOf(object: KubeObject): bigint | undefined {
  const text = object.metadata?.annotations?.[REVISION_ANNOTATION];
  return text === undefined ? 0n : parseInt64(text);
}

/** The highest revision, at least 0; malformed ones are skipped. */
export function maxRevision(replicaSets: readonly ReplicaSet[]): bigint {
  return highestFirst(replicaSets)[0] ?? 0n;
}

/** The revision of the next ReplicaSet; it wraps like upstream's 64-bit number. */
export function nextRevision(old: readonly ReplicaSet[]): bigint {
  return BigInt.asIntN(64, maxRevision(old) + 1n);
}

/** The revision before the highest, to which a rollback without a number goes; 0 if there is none. */
export function lastRevision(replicaSets: readonly ReplicaSet[]): bigint {
  return highestFirst(replicaSets)[1] ?? 0n;
}

function highestFirst(replicaSets: readonly ReplicaSet[]): bigint[] {
  return replicaSets.map((replicaSet) => revisionOf(replicaSet) ?? 0n).filter((revision) => revision > 0n)
    .sort((a, b) => a > b ? -1 : a < b ? 1 : 0);
}

/** Lowest revision first; among equals, oldest first. Each is parsed once, because its text may be long. */
export function sortedByRevision(replicaSets: readonly ReplicaSet[]): ReplicaSet[] {
  const revisions = new Map(replicaSets.map((replicaSet) => [replicaSet, revisionOf(replicaSet)]));
  return replicaSets.toSorted((a, b) => {
    const [left, right] = [revisions.get(a), revisions.get(b)];
    return left === undefined || right === undefined || left === right ? byCreation(a, b) : left < right ? -1 : 1;
  });
}

/**
 * The old ReplicaSets beyond the history limit that may be deleted. Those are the ones with the lowest revisions; one
 * that has or may have pods is kept, without deleting another instead.
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
