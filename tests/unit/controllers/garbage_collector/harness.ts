import { deepCopy, FakeWorld, TurnBudget } from "../../../../src/base/mod.ts";
import {
  apiVersionOf,
  CLUSTERROLES,
  DEPLOYMENTS,
  groupResource,
  HORIZONTALPODAUTOSCALERS,
  HORIZONTALPODAUTOSCALERS_V1,
  type KubeObject,
  NODES,
  type ObjectMeta,
  type OwnerReference,
  PODS,
  REPLICASETS,
  type Resource,
  ROLES,
} from "../../../../src/api/mod.ts";
import { AbsentOwnerCache } from "../../../../src/controllers/garbage_collector/absent_owner_cache.ts";
import {
  attemptToDelete,
  type DeleteContext,
} from "../../../../src/controllers/garbage_collector/attempt_to_delete.ts";
import { attemptToOrphan } from "../../../../src/controllers/garbage_collector/attempt_to_orphan.ts";
import { Graph, type NodeView } from "../../../../src/controllers/garbage_collector/graph.ts";
import { GraphBuilder } from "../../../../src/controllers/garbage_collector/graph_builder.ts";
import type { GraphChange } from "../../../../src/controllers/garbage_collector/graph_change.ts";
import type { Identity } from "../../../../src/controllers/garbage_collector/identity.ts";
import { type CachedObjects, LiveObjects } from "../../../../src/controllers/garbage_collector/live_objects.ts";
import { ReferencePatches } from "../../../../src/controllers/garbage_collector/actions.ts";
import { RecordedClient, type StoredChange } from "../recorded_client.ts";
import { stepsOf } from "../../base/steps.ts";
import { discovered } from "./fake_discovery.ts";

const VERBS = ["create", "delete", "get", "list", "patch", "update", "watch"];

/** A custom resource: answers 415 to strategic merge patches. */
export const WIDGETS: Resource = {
  group: "example.com",
  version: "v1",
  plural: "widgets",
  kind: "Widget",
  namespaced: true,
  verbs: VERBS,
};

/** What the fake API server serves. */
export const SERVED: readonly Resource[] = [
  PODS,
  REPLICASETS,
  DEPLOYMENTS,
  NODES,
  ROLES,
  HORIZONTALPODAUTOSCALERS,
  HORIZONTALPODAUTOSCALERS_V1,
  CLUSTERROLES,
  WIDGETS,
];

/** Maps the kinds of {@link SERVED}; `failing` makes every lookup fail for a while. */
export class FakeMapper {
  resets = 0;
  failing: Error | undefined;

  resourceFor({ group, version, kind }: { group: string; version: string; kind: string }) {
    if (this.failing) return Promise.reject(this.failing);
    const found = SERVED.find((resource) =>
      resource.group === group && resource.version === version && resource.kind === kind
    );
    if (!found) return Promise.reject(new Error(`no matches for kind "${kind}" in version "${group}/${version}"`));
    return Promise.resolve(discovered(found));
  }

  reset(): void {
    this.resets++;
  }
}

const POD = { containers: [{ name: "c", image: "i" }] };
const WORKLOAD = {
  selector: { matchLabels: { app: "x" } },
  template: { metadata: { labels: { app: "x" } }, spec: POD },
};
/** What the server asks of objects before it lets anybody change them. */
const SPECS: Readonly<Record<string, unknown>> = { Pod: POD, ReplicaSet: WORKLOAD, Deployment: WORKLOAD };

/** An object in namespace `a` (unless cluster-scoped) whose uid is its name. */
export function object(resource: Resource, name: string, metadata: ObjectMeta = {}): KubeObject {
  const namespace = resource.namespaced ? { namespace: "a" } : {};
  const spec = SPECS[resource.kind];
  return { metadata: { name, uid: name, ...namespace, ...metadata }, ...spec ? { spec } : {} } as KubeObject;
}

/** What is on the server of the kinds that are {@link SERVED}. */
export function objectsOn(client: RecordedClient): KubeObject[] {
  const kinds = new Map(SERVED.map((resource) => [groupResource(resource), resource]));
  return [...kinds.values()].flatMap((resource) => client.all(resource));
}

/** A reference to the object of this resource and name. */
export function ref(resource: Resource, name: string, more: Partial<OwnerReference> = {}): OwnerReference {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid: name, ...more };
}

export const DELETING = { deletionTimestamp: "2026-01-01T00:00:00Z" };
export const FOREGROUND = { ...DELETING, finalizers: ["foregroundDeletion"] };

/** A queue that keeps each waiting node once, and tells apart how it came. */
export class RecordingQueue {
  readonly #nodes = new Set<NodeView>();
  readonly rateLimited: NodeView[] = [];
  /** Nodes that were put off, and for how many milliseconds. */
  readonly delayed: { readonly node: NodeView; readonly delayMs: number }[] = [];

  add(node: NodeView): void {
    this.#nodes.add(node);
  }

  addAfter(node: NodeView, delayMs: number): void {
    this.delayed.push({ node, delayMs });
  }

  addRateLimited(node: NodeView): void {
    this.rateLimited.push(node);
  }

  /** Names of what waits. */
  get names(): string[] {
    return [...this.#nodes].map(({ identity }) => identity.name);
  }

  take(): NodeView[] {
    const nodes = [...this.#nodes];
    this.#nodes.clear();
    return nodes;
  }
}

/** What a monitor makes of a change on the API server. */
export function observed({ of: served, object: shown, old, isGone }: StoredChange): GraphChange {
  const resource = SERVED.find((each) => groupResource(each) === served)!;
  const of = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  if (isGone) return { type: "delete", of, object: shown };
  return old ? { type: "update", of, old, object: deepCopy(shown) } : { type: "add", of, object: deepCopy(shown) };
}

/** The garbage collector without its loops: a test says when what is processed. */
export class GcHarness {
  readonly world: FakeWorld = new FakeWorld();
  readonly client: RecordedClient = new RecordedClient(this.world);
  readonly mapper: FakeMapper = new FakeMapper();
  readonly graph: Graph = new Graph();
  readonly absentOwners: AbsentOwnerCache = new AbsentOwnerCache();
  readonly toDelete: RecordingQueue = new RecordingQueue();
  readonly toOrphan: RecordingQueue = new RecordingQueue();
  readonly changes: GraphChange[] = [];
  /** What the monitors hold, by UID; nothing unless a test says so. */
  readonly monitored: Map<string, KubeObject> = new Map();
  /** Whether a monitor is about to show this object. */
  isAwaited: (identity: Identity) => boolean = () => false;
  /** `dependent owner` of every report of an owner in another namespace. */
  readonly invalid: string[] = [];
  /** What workers failed with, as `name: message`. */
  readonly errors: string[] = [];
  /** Aborts the work under way. */
  readonly stop: AbortController = new AbortController();
  readonly builder: GraphBuilder;
  readonly context: DeleteContext;

  constructor() {
    this.builder = new GraphBuilder({
      graph: this.graph,
      absentOwners: this.absentOwners,
      attemptToDelete: this.toDelete,
      attemptToOrphan: this.toOrphan,
      onInvalidNamespace: ({ identity }, owner) => this.invalid.push(`${identity.name} ${owner}`),
    });
    const live = new LiveObjects({ client: this.client, mapper: this.mapper });
    const cached: CachedObjects = (identity) => Promise.resolve(this.shown(identity));
    this.context = {
      world: this.world,
      graph: this.graph,
      budget: new TurnBudget(this.world.clock),
      live,
      signal: this.stop.signal,
      cached,
      isAwaited: (identity) => Promise.resolve(this.isAwaited(identity)),
      patches: new ReferencePatches({ live, cached }),
      absentOwners: this.absentOwners,
      attemptToDelete: this.toDelete,
      onAbsent: (identity) => this.changes.push({ type: "virtualDelete", identity }),
    };
  }

  /** The monitored object with this identity. */
  shown({ uid, name, namespace }: Identity): KubeObject | undefined {
    const found = this.monitored.get(uid);
    const { name: itsName, namespace: itsNamespace = namespace } = found?.metadata ?? {};
    return itsName === name && itsNamespace === namespace ? found : undefined;
  }

  /** Works a change into the graph; gives the number of steps. */
  process(change: GraphChange): number {
    return stepsOf(this.builder.process(change)).steps;
  }

  /** Stores an object on the fake API server and shows it to the graph. */
  create(resource: Resource, made: KubeObject): KubeObject {
    const [stored] = this.client.store(resource, made);
    this.observe(resource, stored);
    return stored;
  }

  observe(resource: Resource, shown: KubeObject, old?: KubeObject): void {
    this.process(observed({ of: groupResource(resource), object: shown, old, isGone: false }));
  }

  observeDeletion(resource: Resource, shown: KubeObject): void {
    this.process(observed({ of: groupResource(resource), object: shown, old: shown, isGone: true }));
  }

  processChanges(): void {
    for (const change of this.changes.splice(0)) this.process(change);
  }

  /** Works on everything queued, and on what that queues, until nothing is left; failures are not retried. */
  async drain(): Promise<void> {
    for (let round = 0;; round++) {
      if (round > 1000) throw new Error("The queues never became empty");
      this.processChanges();
      const deletions = this.toDelete.take();
      const orphans = this.toOrphan.take();
      if (deletions.length + orphans.length === 0) return;
      for (const node of deletions) await this.#try(node, attemptToDelete(node, this.context));
      for (const node of orphans) await this.#try(node, attemptToOrphan(node, this.context));
    }
  }

  async #try({ identity }: NodeView, work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.errors.push(`${identity.name}: ${error instanceof Error ? error.message : error}`);
    }
  }
}
