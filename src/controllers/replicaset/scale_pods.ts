import { type Histogram, invariant, type TurnBudget, type World } from "../../base/mod.ts";
import { controllerOf, type KubeObject, newControllerRef, objectKey, type Pod } from "../../api/mod.ts";
import { isNamespaceTerminating, isNotFound } from "../../client/mod.ts";
import { type PodControl, slowStart, type UidExpectations } from "../pods/mod.ts";
import { refOf, serverSays, startAll } from "../running/mod.ts";
import type { ReplicaKind, ReplicaOwner } from "./kind.ts";
import { observeDeletionAges } from "./metrics.ts";
import { rankForDeletion } from "./ranking.ts";
import { planScaling } from "./scaling.ts";

/** What creating and deleting pods needs. */
export interface ScalePodsOptions<T extends ReplicaOwner> {
  readonly kind: ReplicaKind<T>;
  readonly podControl: PodControl;
  readonly expectations: UidExpectations;
  /** Called with every pod that was created. */
  readonly onCreated: (pod: KubeObject) => void;
  /** The pods that crowd the nodes of the owner's pods; asked only when a choice is to be made. */
  readonly relatedPods: (owner: T, budget: TurnBudget) => Promise<readonly Pod[]>;
  readonly ageRatio: Histogram;
  readonly world: Pick<World, "clock">;
  /** Of the sync: all pods of a namespace may be looked at, and hundreds deleted. */
  readonly budget: TurnBudget;
  /** The wall clock. */
  readonly nowMs: number;
}

/**
 * Creates or deletes pods so that `owner` gets as many as it wants, and notes what its caches have to show before the
 * next time. Upstream: `pkg/controller/replicaset/replica_set.go` (manageReplicas).
 *
 * @param active The owner's active pods.
 * @returns The first failure, `undefined` if there was none.
 * @throws {InvariantError} If a pod to delete is not the owner's. Nothing else is thrown.
 */
export async function scalePods<T extends ReplicaOwner>(
  owner: T,
  active: readonly Pod[],
  options: ScalePodsOptions<T>,
): Promise<unknown> {
  const plan = planScaling(active.length, options.kind.replicasOf(owner));
  switch (plan.action) {
    case "none":
      return undefined;
    case "create":
      return await createPods(owner, plan.count, options);
    case "delete":
      return await deletePods(owner, await choosePods(owner, active, plan.count, options), options);
  }
}

async function createPods<T extends ReplicaOwner>(
  owner: T,
  count: number,
  { kind, podControl, expectations, onCreated, world }: ScalePodsOptions<T>,
): Promise<unknown> {
  const key = objectKey(owner);
  const creation = {
    namespace: owner.metadata?.namespace,
    template: kind.templateOf(owner),
    parent: owner,
    controllerRef: newControllerRef(owner, kind.resource),
  };
  expectations.expectCreations(key, count);
  const { successes, error } = await slowStart(count, async () => {
    try {
      onCreated(await podControl.create(creation));
    } catch (error) {
      // Every creation will fail until the namespace is gone; waiting for the expectation to expire is all there is to
      // do.
      if (!serverSays(error, isNamespaceTerminating)) throw error;
    }
  }, world);
  if (successes < count) expectations.lowerCreations(key, count - successes);
  return error;
}

async function choosePods<T extends ReplicaOwner>(
  owner: T,
  active: readonly Pod[],
  count: number,
  { kind, relatedPods, ageRatio, nowMs, budget }: ScalePodsOptions<T>,
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

async function deletePods<T extends ReplicaOwner>(
  owner: T,
  pods: readonly Pod[],
  { kind, podControl, expectations, budget }: ScalePodsOptions<T>,
): Promise<unknown> {
  const key = objectKey(owner);
  for (const pod of pods) {
    const uid = controllerOf(pod)?.uid ?? owner.metadata?.uid; // an orphan was adopted just now
    invariant(
      uid === owner.metadata?.uid,
      `${kind.resource.kind} ${key} would delete pod ${objectKey(pod)} of another`,
    );
  }
  expectations.expectDeletions(key, pods.map(objectKey));
  const results = await startAll(pods.length, async (i) => {
    try {
      await podControl.delete(refOf(pods[i]), owner);
    } catch (error) {
      expectations.observeDeletion(key, objectKey(pods[i])); // no event will come for it
      if (!serverSays(error, isNotFound)) throw error;
    }
  }, budget);
  return results.find((result) => result.status === "rejected")?.reason;
}
