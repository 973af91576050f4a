import { TurnBudget } from "../../base/mod.ts";
import { isPodActive, isPodTerminating } from "../../rules/mod.ts";
import { type Pod, PODS, type Selector, SelectorError } from "../../api/mod.ts";
import { claim, orphanPods, podsControlledBy, queueNextAvailability } from "../pods/mod.ts";
import { byKey, selectorOfCached } from "../running/mod.ts";
import { writeStatus } from "./actions.ts";
import type { ReplicaContext } from "./context.ts";
import type { ReplicaOwner } from "./kind.ts";
import { scalePods } from "./scaling.ts";
import { computeStatus } from "./status.ts";

/**
 * Brings one ReplicaSet (or ReplicationController) closer to its number of pods, and updates its status.
 * Upstream: `pkg/controller/replicaset/replica_set.go` (syncReplicaSet).
 *
 * @param key `namespace/name`.
 * @throws {Error} If the key must be retried: the caches are behind our own writes, or a write failed.
 */
export async function syncReplicas<T extends ReplicaOwner>(key: string, context: ReplicaContext<T>): Promise<void> {
  const { kind, world, owners, expectations, guard, queue } = context;
  guard?.ensureReady(key);
  const owner = byKey(owners, key);
  if (!owner) {
    guard?.clear(key);
    expectations.delete(key);
    return;
  }
  // Before the pods are listed: an event in between makes this sync do too little, never too much.
  const needsSync = expectations.isSatisfied(key);
  const selector = validSelector(owner, context);
  if (!selector) return;

  const budget = new TurnBudget(world.clock);
  const { active, terminating } = await observePods(owner, selector, { ...context, budget });
  const nowMs = world.clock.wallMs();
  const mayScale = needsSync && !owner.metadata?.deletionTimestamp;
  const failure = mayScale ? await scalePods(owner, active, { ...context, budget, nowMs }) : undefined;

  const evaluatedAtMs = world.clock.wallMs();
  const status = computeStatus(kind, owner, { active, terminating, failure, nowMs: evaluatedAtMs });
  const written = await writeStatus(owner, status, context);
  guard?.wroteOwner(written);
  if (failure !== undefined) throw failure;
  queueNextAvailability(queue, key, {
    pods: active,
    minReadySeconds: kind.minReadySecondsOf(written),
    status: written.status,
    evaluatedAtMs,
    nowMs: world.clock.wallMs(),
  });
}

/** Retrying does not help with an invalid selector. */
function validSelector<T extends ReplicaOwner>(owner: T, { kind, world }: ReplicaContext<T>): Selector | undefined {
  try {
    return selectorOfCached(kind.selectorOf(owner));
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    world.log.error("Error converting pod selector to selector", {
      err: error,
      kind: kind.resource.kind,
      namespace: owner.metadata?.namespace,
      name: owner.metadata?.name,
    });
    return undefined;
  }
}

/**
 * The owner's active pods and the number of terminating ones. Adopts orphans and releases pods that no longer match.
 */
async function observePods<T extends ReplicaOwner>(
  owner: T,
  selector: Selector,
  { kind, client, pods, guard, budget }: ReplicaContext<T> & { readonly budget: TurnBudget },
): Promise<{ active: Pod[]; terminating: number }> {
  const own = podsControlledBy(pods, owner, kind.resource.kind);
  const orphans = orphanPods(pods, owner.metadata?.namespace);
  const active = await claim([...own.filter(isPodActive), ...orphans.filter(isPodActive)], {
    client,
    parent: owner,
    parentResource: kind.resource,
    resource: PODS,
    selector,
    budget,
    onPatched: (pod) => guard?.wrotePod(pod),
  });
  const isGoing = (pod: Pod) => isPodTerminating(pod) && selector.matches(pod.metadata?.labels);
  return { active, terminating: own.filter(isGoing).length };
}
