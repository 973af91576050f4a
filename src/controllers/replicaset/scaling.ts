import type { TurnBudget } from "../../base/mod.ts";
import type { Pod } from "../../api/mod.ts";
import { createPods, deletePods } from "./actions.ts";
import type { ReplicaContext } from "./context.ts";
import type { ReplicaOwner } from "./kind.ts";
import { observeDeletionAges } from "./metrics.ts";
import { rankForDeletion } from "./ranking.ts";

/** The most pods that one sync creates or deletes. */
const BURST_REPLICAS = 500;

/** The change that a ReplicaSet needs to reach its number of pods. */
export type Scaling =
  | { readonly action: "none" }
  | { readonly action: "create"; readonly count: number }
  | { readonly action: "delete"; readonly count: number };

/** Decides by the number of active pods; anything beyond the burst waits for the next sync. */
export function planScaling(activePods: number, replicas: number): Scaling {
  if (activePods < replicas) return { action: "create", count: Math.min(replicas - activePods, BURST_REPLICAS) };
  if (activePods > replicas) return { action: "delete", count: Math.min(activePods - replicas, BURST_REPLICAS) };
  return { action: "none" };
}

/** The context for creating and deleting pods. */
export interface ScalingContext<T extends ReplicaOwner> extends ReplicaContext<T> {
  /** The sync's budget: all pods of a namespace may be examined, and hundreds deleted. */
  readonly budget: TurnBudget;
  /** The wall clock. */
  readonly nowMs: number;
}

/**
 * Creates or deletes pods until `owner` has the wanted number.
 * Upstream: `pkg/controller/replicaset/replica_set.go` (manageReplicas).
 *
 * @param active The owner's active pods.
 * @returns The first failure, `undefined` if there was none.
 * @throws {InvariantError} If a pod to delete is not the owner's. Nothing else is thrown.
 */
export async function scalePods<T extends ReplicaOwner>(
  owner: T,
  active: readonly Pod[],
  context: ScalingContext<T>,
): Promise<unknown> {
  const plan = planScaling(active.length, context.kind.replicasOf(owner));
  switch (plan.action) {
    case "none":
      return undefined;
    case "create":
      return await createPods(owner, plan.count, context);
    case "delete":
      return await deletePods(owner, await choosePods(owner, active, plan.count, context), context);
  }
}

async function choosePods<T extends ReplicaOwner>(
  owner: T,
  active: readonly Pod[],
  count: number,
  { kind, relatedPods, ageRatio, nowMs, budget }: ScalingContext<T>,
): Promise<readonly Pod[]> {
  if (count === active.length) return active;
  const ranked = rankForDeletion(active, {
    related: await relatedPods(owner, budget),
    nowMs,
    ignoresCost: kind.ignoresDeletionCost,
  });
  observeDeletionAges(ageRatio, ranked, { count, nowMs });
  return ranked.slice(0, count);
}
