/** What scenarios of budgets begin with, and what they wait for. */
import {
  findCondition,
  type KubeObject,
  newControllerRef,
  type Pod,
  type PodDisruptionBudget,
  PODDISRUPTIONBUDGETS,
  type PodDisruptionBudgetSpec,
  PODS,
  type Resource,
} from "../../src/api/mod.ts";
import { StatusError } from "../../src/client/mod.ts";
import { definitionOf, scalable } from "./custom_kind.ts";
import { type Kit, orphanPod } from "./kit.ts";

/** A custom resource that says how many pods it wants, as built-in ones do. */
export const THINGS: Resource<KubeObject & { readonly spec: { readonly replicas: number } }> = {
  group: "disruption.example.com",
  version: "v1",
  plural: "things",
  kind: "Thing",
  namespaced: true,
};

export const THING_DEFINITION = definitionOf(THINGS, scalable());

/** Makes the budget `b` for the pods labelled `app=a`. */
export async function createBudget(kit: Kit, spec: Partial<PodDisruptionBudgetSpec> = {}, name = "b"): Promise<void> {
  await kit.create(PODDISRUPTIONBUDGETS, {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name },
    spec: { selector: { matchLabels: { app: "a" } }, ...spec },
  });
}

/**
 * Waits until the budget `b` has these figures, and a condition that says so.
 *
 * @param wanted Allowed, healthy, desired, expected.
 */
export async function budgetSays(kit: Kit, wanted: readonly number[], reason?: string): Promise<void> {
  const why = reason ?? (wanted[0] > 0 ? "SufficientPods" : "InsufficientPods");
  await kit.until(
    PODDISRUPTIONBUDGETS,
    "b",
    `says ${wanted} ${why}`,
    (budget) => figuresOf(budget).join() === wanted.join() && isObserved(budget) && reasonOf(budget) === why,
  );
}

/** Waits until it is not known how many pods of the budget `b` may be evicted, because of `why`. */
export async function budgetFails(kit: Kit, why: string): Promise<void> {
  await kit.until(PODDISRUPTIONBUDGETS, "b", `fails: ${why}`, ({ status }) => {
    const condition = findCondition(status?.conditions, "DisruptionAllowed");
    return condition?.reason === "SyncFailed" && condition.message.includes(why);
  });
}

function figuresOf({ status }: PodDisruptionBudget): number[] {
  const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } = status ?? {};
  return [disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods].map((count) => count ?? 0);
}

function isObserved({ metadata, status }: PodDisruptionBudget): boolean {
  return (status?.observedGeneration ?? 0) === (metadata?.generation ?? 0) &&
    Object.keys(status?.disruptedPods ?? {}).length === 0;
}

function reasonOf({ status }: PodDisruptionBudget): string | undefined {
  return findCondition(status?.conditions, "DisruptionAllowed")?.reason;
}

/** Makes pods labelled `app=a` that `owner` controls, and waits until they are ready. */
export async function createPodsOf<T extends KubeObject>(
  kit: Kit,
  names: readonly string[],
  owner?: readonly [Resource<T>, T],
): Promise<void> {
  const reference = owner && newControllerRef(owner[1], owner[0]);
  const ownerReferences = reference ? [{ ...reference, blockOwnerDeletion: undefined }] : undefined;
  for (const name of names) {
    const pod = orphanPod(name, "a");
    await kit.create(PODS, { ...pod, metadata: { ...pod.metadata, ownerReferences } });
  }
  await kit.untilAll(PODS, `${names} are ready`, (pods) => names.every((name) => pods.some(isReadyPod(name))));
}

function isReadyPod(name: string): (pod: Pod) => boolean {
  return ({ metadata, status }) =>
    metadata?.name === name && findCondition(status?.conditions, "Ready")?.status === "True";
}

/** Asks that a pod be evicted. Gives the code of the answer. */
export async function evict(kit: Kit, name: string): Promise<number> {
  const { client, namespace } = kit;
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } };
  try {
    await client.createSubresource(PODS, { namespace, name }, { subresource: "eviction", body });
    return 201;
  } catch (error) {
    if (error instanceof StatusError && error.code) return error.code;
    throw error;
  }
}

/** Evicts one of the pods that are there, and gives its name. */
export async function evictOne(kit: Kit): Promise<string> {
  const [{ metadata }] = await kit.list(PODS);
  const name = metadata!.name!;
  const code = await evict(kit, name);
  if (code !== 201) throw new Error(`The eviction of ${name} was refused with ${code}`);
  return name;
}

/** Writes into a pod's status, beside what is there. */
export async function patchPodStatus(kit: Kit, name: string, status: Pod["status"]): Promise<void> {
  const { client, namespace } = kit;
  await client.patch(PODS, { namespace, name }, { type: "strategic", body: { status }, subresource: "status" });
}
