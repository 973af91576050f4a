import { type Histogram, TurnBudget, type World } from "../../base/mod.ts";
import { isPodActive, isPodTerminating } from "../../rules/mod.ts";
import { type Pod, PODS, type Selector, SelectorError, splitKey } from "../../api/mod.ts";
import type { Indexer, Lister } from "../../cache/mod.ts";
import type { Client } from "../../client/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import {
  claim,
  nextAvailabilityCheckMs,
  orphanPods,
  type PodControl,
  podsControlledBy,
  type UidExpectations,
} from "../pods/mod.ts";
import { selectorOfCached, type WriteGuard } from "../running/mod.ts";
import type { ReplicaKind, ReplicaOwner } from "./kind.ts";
import { scalePods } from "./scale_pods.ts";
import { computeStatus } from "./status.ts";
import { writeStatus } from "./status_writer.ts";

/** What the sync reads, and what it acts with. */
export interface ReplicaSyncOptions<T extends ReplicaOwner> {
  readonly kind: ReplicaKind<T>;
  readonly world: World;
  readonly client: Pick<Client, "get" | "patch" | "updateStatus">;
  readonly podControl: PodControl;
  readonly owners: Pick<Lister<T>, "get">;
  /** Indexed by controller. */
  readonly pods: Pick<Indexer<Pod>, "byIndex">;
  readonly expectations: UidExpectations;
  readonly queue: Pick<WorkQueue, "addAfter">;
  /** Absent for the kind that upstream does not guard. */
  readonly guard?: WriteGuard;
  readonly relatedPods: (owner: T, budget: TurnBudget) => Promise<readonly Pod[]>;
  readonly ageRatio: Histogram;
}

/**
 * Brings one ReplicaSet (or ReplicationController) closer to its number of pods, and its status up to date.
 * Upstream: `pkg/controller/replicaset/replica_set.go` (syncReplicaSet).
 *
 * @param key `namespace/name`.
 * @throws {Error} If the key is to be tried again: the caches are behind our own writes, or a write failed.
 */
export async function syncReplicas<T extends ReplicaOwner>(key: string, options: ReplicaSyncOptions<T>): Promise<void> {
  const { kind, world, owners, expectations, guard } = options;
  guard?.ensureReady(key);
  const { namespace, name } = splitKey(key);
  const owner = owners.get(namespace, name);
  if (!owner) {
    guard?.clear(key);
    expectations.delete(key);
    return;
  }
  // Before the pods are listed: an event that comes in between makes this sync do less, never too much.
  const needsSync = expectations.isSatisfied(key);
  const selector = validSelector(owner, options);
  if (!selector) return;

  const budget = new TurnBudget(world.clock);
  const { active, terminating } = await observePods(owner, selector, { ...options, budget });
  const nowMs = world.clock.wallMs();
  const mayScale = needsSync && !owner.metadata?.deletionTimestamp;
  const failure = mayScale
    ? await scalePods(owner, active, { ...options, budget, nowMs, onCreated: (pod) => guard?.wrotePod(pod) })
    : undefined;

  const evaluatedAtMs = world.clock.wallMs();
  const status = computeStatus(kind, owner, { active, terminating, failure, nowMs: evaluatedAtMs });
  const written = await writeStatus(options.client, kind, { owner, status });
  guard?.wroteOwner(written);
  if (failure !== undefined) throw failure;
  planAvailabilityCheck(key, written, active, { ...options, evaluatedAtMs });
}

/** A selector that cannot be understood will not be by trying again. */
function validSelector<T extends ReplicaOwner>(owner: T, { kind, world }: ReplicaSyncOptions<T>): Selector | undefined {
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

/** The owner's active pods, orphans adopted and strangers released, and how many of its pods are terminating. */
async function observePods<T extends ReplicaOwner>(
  owner: T,
  selector: Selector,
  { kind, client, pods, guard, budget }: ReplicaSyncOptions<T> & { readonly budget: TurnBudget },
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

/** Timers get lost when another leader takes over or a key is queued again earlier; this one is set in every sync. */
function planAvailabilityCheck<T extends ReplicaOwner>(
  key: string,
  owner: T,
  active: readonly Pod[],
  { kind, world, queue, evaluatedAtMs }: ReplicaSyncOptions<T> & { readonly evaluatedAtMs: number },
): void {
  const minReadySeconds = kind.minReadySecondsOf(owner);
  const { readyReplicas = 0, availableReplicas = 0 } = owner.status ?? {};
  if (minReadySeconds <= 0 || readyReplicas === availableReplicas) return;
  const nowMs = world.clock.wallMs();
  const delayMs = nextAvailabilityCheckMs(active, { minReadySeconds, evaluatedAtMs, nowMs });
  queue.addAfter(key, delayMs ?? minReadySeconds * 1000, { due: "minReadySeconds passed" });
}
