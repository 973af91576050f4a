import { type Deployment, DESIRED_REPLICAS_ANNOTATION, type ReplicaSet } from "../../api/mod.ts";
import { equalIgnoreHash } from "../../rules/mod.ts";
import { type Clock, TurnBudget } from "../../base/mod.ts";
import { byCreation } from "../running/mod.ts";
import { desiredReplicas } from "./bounds.ts";

/** A Deployment's ReplicaSets: the one with its current template, if any, and all others. */
export interface ReplicaSets {
  readonly current: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

/** Old and current ones together, the current one last. */
export function allOf({ current, old }: ReplicaSets): readonly ReplicaSet[] {
  return current ? [...old, current] : old;
}

/**
 * Finds the current ReplicaSet by its template alone, because hashes differ between releases. Of several, the oldest is
 * current, as it was before the others were created. Upstream: `pkg/controller/deployment/util` (FindNewReplicaSet).
 */
export async function findReplicaSets(
  deployment: Deployment,
  replicaSets: readonly ReplicaSet[],
  { clock }: { readonly clock: Clock },
): Promise<ReplicaSets> {
  const template = deployment.spec?.template;
  const budget = new TurnBudget(clock); // templates may have a megabyte each, and a Deployment may have hundreds
  const same: ReplicaSet[] = [];
  for (const replicaSet of replicaSets) {
    if (equalIgnoreHash(replicaSet.spec?.template, template)) same.push(replicaSet);
    if (budget.spent) await budget.nextTurn();
  }
  const current = same.sort(byCreation).at(0);
  return { current, old: replicaSets.filter((replicaSet) => replicaSet !== current) };
}

/** A ReplicaSet's wanted size; 1 is the API server's default. */
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

/** The number of existing pods, by the ReplicaSets' status. */
export function totalPods(replicaSets: readonly ReplicaSet[]): number {
  return replicaSets.reduce((sum, replicaSet) => sum + (replicaSet.status?.replicas ?? 0), 0);
}

/** ReplicaSets with a wanted size above 0. */
export function activeOf(replicaSets: readonly ReplicaSet[]): ReplicaSet[] {
  return replicaSets.filter((replicaSet) => sizeOf(replicaSet) > 0);
}

/** Largest first; among equals the newest first, for growing. */
export function bySizeNewestFirst(a: ReplicaSet, b: ReplicaSet): number {
  return sizeOf(b) - sizeOf(a) || byCreation(b, a);
}

/** Largest first; among equals the oldest first, for shrinking. */
export function bySizeOldestFirst(a: ReplicaSet, b: ReplicaSet): number {
  return sizeOf(b) - sizeOf(a) || byCreation(a, b);
}

/**
 * The only ReplicaSet to resize: the single active one, or the current or newest one if none is active. `undefined` if
 * several are active, or if there are none.
 * Upstream: `pkg/controller/deployment/util` (FindActiveOrLatest).
 */
export function activeOrLatest({ current, old }: ReplicaSets): ReplicaSet | undefined {
  const active = activeOf(allOf({ current, old }));
  if (active.length > 1) return undefined;
  return active[0] ?? current ?? old.toSorted(byCreation).at(-1);
}

/** Whether the current ReplicaSet has all the pods that the Deployment wants, and was scaled to have them. */
export function isSaturated(deployment: Deployment, current: ReplicaSet | undefined): boolean {
  if (!current) return false;
  const wanted = desiredReplicas(deployment);
  return sizeOf(current) === wanted && availableOf(current) === wanted &&
    current.metadata?.annotations?.[DESIRED_REPLICAS_ANNOTATION] === String(wanted);
}
