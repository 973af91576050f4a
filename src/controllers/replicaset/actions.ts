import { invariant, type TurnBudget } from "../../base/mod.ts";
import { controllerOf, newControllerRef, objectKey, type Pod, type ReplicaSetStatus } from "../../api/mod.ts";
import { createAllPods, deleteAllPods } from "../pods/mod.ts";
import { updateStatusWithRetry } from "../running/mod.ts";
import type { ReplicaContext } from "./context.ts";
import type { ReplicaOwner } from "./kind.ts";
import { isSameStatus } from "./status.ts";

/**
 * Creates pods, and records what the cache must show before the next sync.
 *
 * @returns The first failure, `undefined` if there was none.
 */
export async function createPods<T extends ReplicaOwner>(
  owner: T,
  count: number,
  { kind, podControl, expectations, guard, world }: ReplicaContext<T>,
): Promise<unknown> {
  const key = objectKey(owner);
  const creation = {
    namespace: owner.metadata?.namespace,
    template: kind.templateOf(owner),
    parent: owner,
    controllerRef: newControllerRef(owner, kind.resource),
  };
  expectations.expectCreations(key, count);
  const { successes, error } = await createAllPods(count, {
    podControl,
    clock: world.clock,
    creationOf: () => creation,
    onCreated: (pod) => guard?.wrotePod(pod),
  });
  if (successes < count) expectations.lowerCreations(key, count - successes);
  return error;
}

/**
 * Deletes pods, and records what the cache must show before the next sync.
 *
 * @returns The first failure, `undefined` if there was none.
 * @throws {InvariantError} If one of them is not the owner's; none is deleted then.
 */
export async function deletePods<T extends ReplicaOwner>(
  owner: T,
  pods: readonly Pod[],
  { kind, podControl, expectations, budget }: ReplicaContext<T> & { readonly budget: TurnBudget },
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
  const onFailed = (pod: Pod) => expectations.observeDeletion(key, objectKey(pod));
  const [failure] = await deleteAllPods(pods, { podControl, parent: owner, budget, onFailed });
  return failure;
}

/**
 * Writes the status if it differs from the cached one. Retries once after a refusal, still with the generation that it
 * was computed for. Upstream: `pkg/controller/replicaset/replica_set_utils.go` (updateReplicaSetStatus).
 *
 * @returns The object with the status: the server's answer, or `owner` if there was nothing to write.
 * @throws {Error} As {@link updateStatusWithRetry} does.
 */
export async function writeStatus<T extends ReplicaOwner>(
  owner: T,
  status: ReplicaSetStatus,
  { client, kind }: Pick<ReplicaContext<T>, "client" | "kind">,
): Promise<T> {
  if (isSameStatus(owner.status, status)) return owner;
  return await updateStatusWithRetry(client, kind.resource, { cached: owner, statusOf: () => status });
}
