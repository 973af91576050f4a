import { FakeWorld } from "../../../../src/base/mod.ts";
import {
  DEPLOYMENTS,
  findCondition,
  type IntOrString,
  type KubeObject,
  type OwnerReference,
  type Pod,
  type PodDisruptionBudget,
  PODDISRUPTIONBUDGETS,
  type PodDisruptionBudgetSpec,
  type PodDisruptionBudgetStatus,
  PODS,
  REPLICASETS,
  REPLICATIONCONTROLLERS,
  type Resource,
  STATEFULSETS,
} from "../../../../src/api/mod.ts";
import { Lister } from "../../../../src/cache/mod.ts";
import { type Client, type DiscoveredResource, type KindQuery, NoMatchError } from "../../../../src/client/mod.ts";
import type { DisruptionContext } from "../../../../src/controllers/disruption/context.ts";
import { budgetHandler, podHandler } from "../../../../src/controllers/disruption/handlers.ts";
import { syncStalePod } from "../../../../src/controllers/disruption/stale_condition.ts";
import { syncBudget } from "../../../../src/controllers/disruption/sync.ts";
import { FakeCache } from "../fake_cache.ts";
import { FakeRecorder } from "../fake_recorder.ts";
import { RecordedClient } from "../recorded_client.ts";
import { ago } from "../fake_times.ts";

export type BudgetTraits = Partial<PodDisruptionBudgetSpec> & {
  metadata?: PodDisruptionBudget["metadata"];
  status?: PodDisruptionBudgetStatus;
};

/** The budget `a/b`, which selects every pod of its namespace. */
export function budget({ metadata, status, ...spec }: BudgetTraits = {}): PodDisruptionBudget {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { namespace: "a", name: "b", uid: "uid-b", generation: 1, ...metadata },
    spec: { selector: {}, ...spec },
    status,
  };
}

export type PodTraits = Pod["metadata"] & {
  isReady?: boolean;
  phase?: string;
  owner?: OwnerReference;
  isDeleting?: boolean;
  /** The condition `DisruptionTarget`. */
  target?: { status?: string; reason?: string; lastTransitionTime?: string };
};

export function pod(name: string, traits: PodTraits = {}): Pod {
  const { isReady = true, phase = "Running", owner, isDeleting = false, target, ...metadata } = traits;
  const conditions = [{ type: "Ready", status: isReady ? "True" : "False" }];
  const disruption = {
    type: "DisruptionTarget",
    status: "True",
    reason: "EvictionByEvictionAPI",
    message: "m",
    ...target,
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace: "a",
      name,
      uid: `uid-${name}`,
      generation: 3,
      labels: { app: "x" },
      ownerReferences: owner ? [owner] : undefined,
      deletionTimestamp: isDeleting ? ago(0) : undefined,
      ...metadata,
    },
    spec: { containers: [{ name: "c", image: "i" }] },
    status: { phase, conditions: target ? [...conditions, disruption] : conditions },
  };
}

/** So many ready pods, and so many that are not, of one owner. */
export function podsOf(owner: KubeObject, ready: number, unready = 0): Pod[] {
  return Array.from(
    { length: ready + unready },
    (_, i) => pod(`${owner.metadata?.name}-${i}`, { isReady: i < ready, owner: referenceTo(owner) }),
  );
}

/** A workload of any kind with so many replicas. */
export function workload(
  apiVersion: string,
  kind: string,
  { name, replicas, owner }: { name: string; replicas: number; owner?: KubeObject | OwnerReference },
) {
  const reference = owner && ("uid" in owner ? owner : referenceTo(owner));
  const ownerReferences = reference ? [reference] : undefined;
  const metadata = { namespace: "a", name, uid: `uid-${kind}-${name}`, ownerReferences };
  const selector = { matchLabels: { app: "x" } };
  return { apiVersion, kind, metadata, spec: { replicas, selector, template: {}, serviceName: "x" } };
}

export const replicationController = (name: string, replicas: number) => ({
  ...workload("v1", "ReplicationController", { name, replicas }),
  spec: { replicas },
});
export const replicaSet = (name: string, replicas: number, owner?: KubeObject | OwnerReference) =>
  workload("apps/v1", "ReplicaSet", { name, replicas, owner });
export const deployment = (name: string, replicas: number) => workload("apps/v1", "Deployment", { name, replicas });
export const statefulSet = (name: string, replicas: number) => workload("apps/v1", "StatefulSet", { name, replicas });
export const custom = (name: string, replicas: number) => workload("example.com/v1", "Thing", { name, replicas });

export function referenceTo({ apiVersion = "", kind = "", metadata }: KubeObject): OwnerReference {
  const { name = "", uid = "" } = metadata ?? {};
  return { apiVersion, kind, name, uid, controller: true };
}

export const THINGS: DiscoveredResource = {
  group: "example.com",
  version: "v1",
  plural: "things",
  kind: "Thing",
  namespaced: true,
  verbs: ["get"],
  subresources: ["scale"],
};

/** What a budget says in short: allowed, healthy, desired, expected, and why. */
export function figures(status: PodDisruptionBudgetStatus | undefined): string {
  const { disruptionsAllowed = 0, currentHealthy = 0, desiredHealthy = 0, expectedPods = 0, conditions } = status ?? {};
  const condition = findCondition(conditions, "DisruptionAllowed");
  return `${disruptionsAllowed},${currentHealthy},${desiredHealthy},${expectedPods} ${condition?.reason}`;
}

/** Where a percentage or an integer is meant. */
export type Amount = IntOrString;

/** Everything that syncs of budgets and pods need, with caches that show what the fake API server has. */
export class DisruptionHarness {
  readonly world = new FakeWorld();
  readonly client = new RecordedClient(this.world);
  readonly recorder = new FakeRecorder();
  /** Keys that were queued, with delays: `disruption a/b`, `stale a/p 120 s`. */
  readonly queued: string[] = [];
  readonly budgets = new FakeCache(this.client, PODDISRUPTIONBUDGETS);
  readonly pods = new FakeCache(this.client, PODS);
  readonly #workloads = {
    replicationControllers: new FakeCache(this.client, REPLICATIONCONTROLLERS),
    replicaSets: new FakeCache(this.client, REPLICASETS),
    deployments: new FakeCache(this.client, DEPLOYMENTS),
    statefulSets: new FakeCache(this.client, STATEFULSETS),
  };
  #isServing = false;
  /** What discovery says of `example.com/v1`. */
  discovered: unknown = {
    resources: [{ name: "things", kind: "Thing" }, {
      name: "things/scale",
      group: "autoscaling",
      version: "v1",
      kind: "Scale",
    }],
  };
  readonly context: DisruptionContext;

  constructor() {
    const { world, client, recorder } = this;
    const later = (name: string) => ({
      addAfter: (key: string, delayMs: number) => void this.queued.push(`${name} ${key} ${delayMs / 1000} s`),
    });
    const { replicationControllers, replicaSets, deployments, statefulSets } = this.#workloads;
    this.context = {
      world,
      client: {
        get: client.get,
        updateStatus: client.updateStatus,
        request: <T>(method: string, path: string) => {
          client.calls.push({ text: `${method.toLowerCase()} ${path}` });
          return Promise.resolve(this.discovered as T);
        },
      } satisfies Pick<Client, "get" | "updateStatus" | "request">,
      mapper: { resourceFor: (query) => resourceFor(query) },
      recorder,
      budgets: new Lister(this.budgets),
      pods: new Lister(this.pods),
      replicationControllers: new Lister(replicationControllers),
      replicaSets: new Lister(replicaSets),
      deployments: new Lister(deployments),
      statefulSets: new Lister(statefulSets),
      queue: {
        add: (key) => void this.queued.push(`disruption ${key}`),
        addRateLimited: (key) => void this.queued.push(`disruption ${key}, rate limited`),
      },
      rechecks: later("recheck"),
      stalePods: later("stale"),
    };
  }

  /** Puts objects on the API server, and shows the caches all that is there. */
  store(...objects: readonly KubeObject[]): this {
    for (const object of objects) this.client.store(RESOURCES[object.kind!], object);
    this.catchUp();
    return this;
  }

  catchUp(): void {
    for (const cache of [this.budgets, this.pods, ...Object.values(this.#workloads)]) cache.catchUp();
  }

  /** Syncs the budget `a/b` with caches that are up to date, and gives its {@link figures}. */
  async sync(): Promise<string> {
    if (!this.#isServing && this.client.all(THINGS).length > 0) await this.client.serve(THINGS);
    this.#isServing = true;
    this.catchUp();
    await syncBudget("a/b", this.context);
    return figures(this.status);
  }

  async syncStale(key = "a/p"): Promise<void> {
    this.catchUp();
    await syncStalePod(key, this.context);
  }

  get status(): PodDisruptionBudgetStatus | undefined {
    return this.client.find(PODDISRUPTIONBUDGETS, "a/b")?.status;
  }

  get events(): readonly string[] {
    return this.recorder.lines;
  }

  get podHandler() {
    return podHandler(this.context) as Required<ReturnType<typeof podHandler>>;
  }

  get budgetHandler() {
    return budgetHandler(this.context) as Required<ReturnType<typeof budgetHandler>>;
  }
}

const RESOURCES: Readonly<Record<string, Resource>> = Object.fromEntries(
  [PODDISRUPTIONBUDGETS, PODS, REPLICATIONCONTROLLERS, REPLICASETS, DEPLOYMENTS, STATEFULSETS, THINGS]
    .map((resource) => [resource.kind, resource]),
);

function resourceFor(query: KindQuery): Promise<DiscoveredResource> {
  const found = RESOURCES[query.kind];
  if (!found || found.group !== query.group) return Promise.reject(new NoMatchError(query));
  return Promise.resolve({ verbs: [], subresources: [], ...found });
}
