import { type Deployment, DESIRED_REPLICAS_ANNOTATION, type ReplicaSet } from "../../api/mod.ts";
import { equalIgnoreHash } from "../../rules/mod.ts";
import { type Clock, TurnBudget } from "../../base/mod.ts";
import { byCreation } from "../running/mod.ts";
import { desiredReplicas } from "./bounds.ts";

/** A Deployment's ReplicaSets: the one of its present template, if there is one, and all others. */
export interface ReplicaSets {
  readonly current: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

/** Old and current ones together, the current one last. */
export function allOf({ current, old }: ReplicaSets): readonly ReplicaSet[] {
  return current ? [...old, current] : old;
}

/**
 * Finds the current ReplicaSet by its template alone: hashes differ between releases. Of several the oldest is the
 * current one; it was so before the others came. Upstream: `pkg/controller/deployment/util` (FindNewReplicaSet).
 */
export async function findReplicaSets(
  deployment: Deployment,
  replicaSets: readonly ReplicaSet[],
  { clock }: { readonly clock: Clock },
): Promise<ReplicaSets> {
  const template = deployment.spec?.template;
  const budget = new TurnBudget(clock); // templates may hold a megabyte each, and a Deployment may have hundreds
  const same: ReplicaSet[] = [];
  for (const replicaSet of replicaSets) {
    if (equalIgnoreHash(replicaSet.spec?.template, template)) same.push(replicaSet);
    if (budget.spent) await budget.nextTurn();
  }
  const current = same.sort(byCreation).at(0);
  return { current, old: replicaSets.filter((replicaSet) => replicaSet !== current) };
}

/** The size that a ReplicaSet is told to have; 1 is the API server's default. */
export function sizeOf(replicaSet: ReplicaSet): number {
  return replicaSet.spec?.replicas ?? 1;
}

export function totalSize(replicaSets: readonly ReplicaSet[]): number {
  return replicaSets.reduce((sum, replicaSet) => sum + sizeOf(replicaSet), 0);
}

export function availableOf(replicaSet: ReplicaSet): number {
  return replicaSet.status?.availableReplicas ?? 0;
}

export function totalAvailable(replicaSets: readonly ReplicaSet[]): number {
  return replicaSets.reduce((sum, replicaSet) => sum + availableOf(replicaSet), 0);
}

/** The pods that there are, by the ReplicaSets' status. */
export function totalPods(replicaSets: readonly ReplicaSet[]): number {
  return replicaSets.reduce((sum, replicaSet) => sum + (replicaSet.status?.replicas ?? 0), 0);
}

/** Those that are told to have pods. */
export function activeOf(replicaSets: readonly ReplicaSet[]): ReplicaSet[] {
  return replicaSets.filter((replicaSet) => sizeOf(replicaSet) > 0);
}

/** Largest first; of one size the newest first, since it is to grow. */
export function bySizeNewestFirst(a: ReplicaSet, b: ReplicaSet): number {
  return sizeOf(b) - sizeOf(a) || byCreation(b, a);
}

/** Largest first; of one size the oldest first, since it is to shrink. */
export function bySizeOldestFirst(a: ReplicaSet, b: ReplicaSet): number {
  return sizeOf(b) - sizeOf(a) || byCreation(a, b);
}

/**
 * The ReplicaSet that alone has to take a new size: the only active one, or the current or newest one where none is
 * active. `undefined` if several are active, or if there are none at all.
 * Upstream: `pkg/controller/deployment/util` (FindActiveOrLatest).
 */
export function activeOrLatest({ current, old }: ReplicaSets): ReplicaSet | undefined {
  const active = activeOf(allOf({ current, old }));
  if (active.length > 1) return undefined;
  return active[0] ?? current ?? old.toSorted(byCreation).at(-1);
}

/** Whether the current ReplicaSet has all the pods that the Deployment wants, and was meant to. */
export function isSaturated(deployment: Deployment, current: ReplicaSet | undefined): boolean {
  if (!current) return false;
  const wanted = desiredReplicas(deployment);
  return sizeOf(current) === wanted && availableOf(current) === wanted &&
    current.metadata?.annotations?.[DESIRED_REPLICAS_ANNOTATION] === String(wanted);
}
