import { FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import {
  type KubeObject,
  newControllerRef,
  objectKey,
  type Pod,
  PODS,
  type ReplicaSet,
  REPLICASETS,
  type ReplicaSetStatus,
} from "../../../../src/api/mod.ts";
import { ConsistencyStore, controllerIndexOf, Lister, POD_CONTROLLER_INDEX } from "../../../../src/cache/mod.ts";
import { indexReplicaSets, PodControl, UidExpectations } from "../../../../src/controllers/pods/mod.ts";
import { WriteGuard } from "../../../../src/controllers/running/mod.ts";
import type { ReplicaContext } from "../../../../src/controllers/replicaset/context.ts";
import { REPLICASET_KIND } from "../../../../src/controllers/replicaset/kind.ts";
import { deletionAgeRatio } from "../../../../src/controllers/replicaset/metrics.ts";
import { syncReplicas } from "../../../../src/controllers/replicaset/sync.ts";
import { indexPodsByTemplateHash, relatedPods } from "../../../../src/controllers/replicaset/related_pods.ts";
import { WorkQueue } from "../../../../src/workqueue/mod.ts";
import { FakeCache } from "../fake_cache.ts";
import { FakeRecorder } from "../fake_recorder.ts";
import { RecordedClient } from "../recorded_client.ts";
import { readyFor } from "../fake_times.ts";
import { takeLines } from "../../workqueue/queue_contents.ts";

/** A ReplicaSet `a/r` for pods with label `app: x`, synced at generation 1. */
export function replicaSet(
  { replicas = 2, minReadySeconds, status, ...metadata }:
    & { replicas?: number; minReadySeconds?: number; status?: ReplicaSetStatus }
    & ReplicaSet["metadata"] = {},
): ReplicaSet {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { namespace: "a", name: "r", uid: "uid-r", generation: 1, ...metadata },
    spec: {
      replicas,
      minReadySeconds,
      selector: { matchLabels: { app: "x" } },
      template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
    status: status ?? { replicas: 0 },
  };
}

/** What a test pod may have. */
export type PodTraits = Pod["metadata"] & {
  phase?: string;
  node?: string;
  /** For how many seconds it has been ready; absent: it is not. */
  readyFor?: number;
  /** Whether the ReplicaSet `a/r` controls it; default true. */
  isOwned?: boolean;
};

/** A pod of the ReplicaSet `a/r`: running and ready on no node for an hour, unless told otherwise. */
export function pod(name: string, traits: PodTraits = {}): Pod {
  const { phase = "Running", node, isOwned = true, readyFor: ready, ...metadata } = { readyFor: 3600, ...traits };
  const ownerReferences = isOwned ? [newControllerRef(replicaSet(), REPLICASETS)] : undefined;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "a", name, uid: `uid-${name}`, labels: { app: "x" }, ownerReferences, ...metadata },
    spec: { containers: [{ name: "c", image: "i" }], nodeName: node },
    status: { phase, conditions: [readyFor(ready)] },
  };
}

/**
 * Everything a ReplicaSet's sync needs, with caches that are filled by hand: they show what `cache` was given, and writes
 * only after `catchUp`.
 */
export class ReplicaSetHarness {
  readonly world = new FakeWorld();
  readonly client = new RecordedClient(this.world);
  readonly recorder = new FakeRecorder();
  readonly metrics = new MetricsRegistry();
  readonly pods = new FakeCache(this.client, PODS, { [POD_CONTROLLER_INDEX]: controllerIndexOf });
  readonly owners = new FakeCache(this.client, REPLICASETS);
  readonly queue = new WorkQueue({ world: this.world });
  readonly expectations = new UidExpectations(this.world.clock);
  readonly guard: WriteGuard;

  constructor(owner: ReplicaSet, ...pods: Pod[]) {
    indexReplicaSets(this.owners);
    indexPodsByTemplateHash(this.pods);
    const caches = [[REPLICASETS, this.owners], [PODS, this.pods]] as const;
    const metricName = "replicaset_controller_stale_sync_skips_total";
    const store = new ConsistencyStore({ clock: this.world.clock, caches, metrics: this.metrics, metricName });
    this.guard = new WriteGuard(store, REPLICASETS);
    this.owners.begin(owner);
    this.pods.begin(...pods);
  }

  /** Shows the caches what the server has. */
  catchUp(): void {
    this.owners.catchUp();
    this.pods.catchUp();
  }

  get context(): ReplicaContext<ReplicaSet> {
    const { world, client, recorder, pods, queue, expectations, guard } = this;
    const related = { pods, podLister: new Lister(pods), replicaSets: this.owners };
    return {
      kind: REPLICASET_KIND,
      world,
      client,
      podControl: new PodControl({ client, recorder }),
      owners: new Lister(this.owners),
      pods,
      expectations,
      queue,
      guard,
      relatedPods: (owner, budget) => budget.run(relatedPods(owner, related)),
      ageRatio: deletionAgeRatio(this.metrics),
    };
  }

  sync(key = "a/r"): Promise<void> {
    return syncReplicas(key, this.context);
  }

  /** The ReplicaSet's status on the server. */
  get status(): ReplicaSetStatus | undefined {
    return this.client.find(REPLICASETS, "a/r")?.status;
  }

  /** Keys in the queue, with why they are there. */
  queued(): Promise<string[]> {
    return takeLines(this.queue);
  }
}

/** Keys of objects, sorted. */
export function keysOf(objects: readonly KubeObject[]): string[] {
  return objects.map(objectKey).sort();
}
