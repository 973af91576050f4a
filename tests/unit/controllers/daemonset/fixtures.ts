import { FakeWorld } from "../../../../src/base/mod.ts";
import {
  type ControllerRevision,
  CONTROLLERREVISIONS,
  type DaemonSet,
  DAEMONSETS,
  type DaemonSetSpec,
  type DaemonSetStatus,
  newControllerRef,
  type Node,
  NODES,
  type Pod,
  PODS,
  type Taint,
} from "../../../../src/api/mod.ts";
import { podTemplateHash } from "../../../../src/rules/mod.ts";
import {
  ConsistencyStore,
  controllerIndexOf,
  Lister,
  NODE_NAME_INDEX,
  nodeNameOf,
  POD_CONTROLLER_INDEX,
} from "../../../../src/cache/mod.ts";
import { Expectations, PodControl } from "../../../../src/controllers/pods/mod.ts";
import { indexRevisions, revisionDataOf } from "../../../../src/controllers/revisions/mod.ts";
import { WriteGuard } from "../../../../src/controllers/running/mod.ts";
import type { DaemonSetContext } from "../../../../src/controllers/daemonset/context.ts";
import { FailedPodBackoff } from "../../../../src/controllers/daemonset/failed_pod_backoff.ts";
import { syncDaemonSet } from "../../../../src/controllers/daemonset/sync.ts";
import { WorkQueue } from "../../../../src/workqueue/mod.ts";
import { endDeletedPods, FakeCache } from "../fake_cache.ts";
import { FakeRecorder } from "../fake_recorder.ts";
import { RecordedClient } from "../recorded_client.ts";
import { ago, readyFor } from "../fake_times.ts";

type PodSpec = NonNullable<Pod["spec"]>;

export function template(image = "i:1", spec: Partial<PodSpec> = {}): DaemonSetSpec["template"] {
  return { metadata: { labels: { app: "d" } }, spec: { containers: [{ name: "c", image, resources: {} }], ...spec } };
}

type SetTraits = Partial<DaemonSetSpec> & {
  image?: string;
  status?: Partial<DaemonSetStatus>;
  metadata?: DaemonSet["metadata"];
};

/** A DaemonSet `a/d` that rolls one pod at a time. */
export function daemonSet({ image, status, metadata, ...spec }: SetTraits = {}): DaemonSet {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { namespace: "a", name: "d", uid: "uid-d", generation: 1, ...metadata },
    spec: {
      selector: { matchLabels: { app: "d" } },
      template: template(image),
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      revisionHistoryLimit: 10,
      ...spec,
    },
    status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0, ...status },
  };
}

export const rolling = (maxUnavailable: number | string, maxSurge: number | string = 0) => ({
  updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable, maxSurge } },
});

export function node(
  name: string,
  { labels, taints }: { labels?: Record<string, string>; taints?: Taint[] } = {},
): Node {
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels }, spec: { taints } };
}

/** Nodes n0, n1, ... */
export function nodes(count: number): Node[] {
  return Array.from({ length: count }, (_, i) => node(`n${i}`));
}

/** What pods of a revision are labelled with. */
export function hash(image = "i:1"): string {
  return podTemplateHash(template(image));
}

export type PodTraits = Pod["metadata"] & {
  phase?: string;
  /** For how many seconds it has been ready; `null`: it is not. */
  readyFor?: number | null;
  image?: string;
  isOwned?: boolean;
  /** Whether it is bound to its node; default true. */
  isBound?: boolean;
};

/** A pod of the DaemonSet for a node: running and ready for an hour unless told otherwise. */
export function pod(name: string, onNode: string, traits: PodTraits = {}): Pod {
  const { phase = "Running", readyFor: ready = 3600, image = "i:1", isOwned = true, isBound = true, ...metadata } =
    traits;
  const nodeSelectorTerms = [{ matchFields: [{ key: "metadata.name", operator: "In", values: [onNode] }] }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace: "a",
      name,
      uid: `uid-${name}`,
      creationTimestamp: ago(3600),
      labels: { app: "d", "controller-revision-hash": hash(image) },
      ownerReferences: isOwned ? [newControllerRef(daemonSet(), DAEMONSETS)] : undefined,
      ...metadata,
    },
    spec: {
      containers: [{ name: "c", image }],
      nodeName: isBound ? onNode : undefined,
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
    },
    status: { phase, conditions: [readyFor(ready)] },
  };
}

/** A pod for each of the nodes n0, n1, ... */
export function onAll(count: number, traits: PodTraits = {}): Pod[] {
  return Array.from({ length: count }, (_, i) => pod(`p${i}`, `n${i}`, traits));
}

/** A stored revision of the DaemonSet. */
export function revision(
  image: string,
  number: number,
  metadata: ControllerRevision["metadata"] = {},
): ControllerRevision {
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      namespace: "a",
      name: `d-${hash(image)}`,
      uid: `uid-${number}`,
      labels: { app: "d", "controller-revision-hash": hash(image) },
      ownerReferences: [newControllerRef(daemonSet(), DAEMONSETS)],
      ...metadata,
    },
    data: JSON.parse(revisionDataOf(template(image), "exact").text), // its fields in the order in which they were sent,
    revision: number,
  };
}

export interface Beginnings {
  readonly set?: DaemonSet;
  readonly nodes?: readonly Node[];
  readonly pods?: readonly Pod[];
  readonly revisions?: readonly ControllerRevision[];
}

/** Everything a DaemonSet's sync needs, with caches that show writes only after `catchUp`. */
export class DaemonSetHarness {
  readonly world = new FakeWorld();
  readonly client = new RecordedClient(this.world);
  readonly recorder = new FakeRecorder();
  readonly queue = new WorkQueue({ world: this.world });
  readonly nodeQueue = new WorkQueue({ world: this.world });
  readonly expectations = new Expectations(this.world.clock);
  readonly failedPods = new FailedPodBackoff(this.world.clock);
  readonly daemonSets = new FakeCache(this.client, DAEMONSETS);
  readonly nodes = new FakeCache(this.client, NODES);
  readonly pods = new FakeCache(this.client, PODS, {
    [POD_CONTROLLER_INDEX]: controllerIndexOf,
    [NODE_NAME_INDEX]: nodeNameOf,
  });
  readonly revisions = new FakeCache(this.client, CONTROLLERREVISIONS);
  readonly context: DaemonSetContext;

  constructor({ set = daemonSet(), nodes = [], pods = [], revisions = [revision("i:1", 1)] }: Beginnings = {}) {
    indexRevisions(this.revisions);
    const { world, client, recorder, queue, nodeQueue, expectations, failedPods } = this;
    const caches = [[DAEMONSETS, this.daemonSets], [PODS, this.pods]] as const;
    this.context = {
      world,
      client,
      recorder,
      podControl: new PodControl({ client, recorder }),
      queue,
      nodeQueue,
      daemonSets: new Lister(this.daemonSets),
      nodes: new Lister(this.nodes),
      pods: this.pods,
      revisions: this.revisions,
      expectations,
      guard: new WriteGuard(new ConsistencyStore({ clock: world.clock, caches }), DAEMONSETS),
      failedPods,
    };
    client.store(DAEMONSETS, set);
    client.store(NODES, ...nodes);
    client.store(PODS, ...pods);
    client.store(CONTROLLERREVISIONS, ...revisions);
    this.catchUp();
    client.calls.length = 0;
  }

  /** Shows the caches what the server has; everything expected has been seen then. */
  catchUp(): void {
    endDeletedPods(this.client);
    for (const cache of [this.daemonSets, this.nodes, this.pods, this.revisions]) cache.catchUp();
    this.expectations.delete("a/d");
  }

  /** Binds every pod, and lets it be ready since long ago. */
  allReady(): void {
    for (const started of this.client.all(PODS)) {
      const required = started.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
      const nodeName = required?.nodeSelectorTerms[0].matchFields?.[0].values?.[0];
      const spec = { ...started.spec!, nodeName: started.spec?.nodeName ?? nodeName };
      this.client.store(PODS, { ...started, spec, status: { phase: "Running", conditions: [readyFor(3600)] } });
    }
    this.catchUp();
  }

  sync(): Promise<void> {
    return syncDaemonSet("a/d", this.context);
  }

  /** Changes the DaemonSet as a user does. */
  change(spec: Partial<DaemonSetSpec>): void {
    this.daemonSets.change("a/d", spec);
    this.catchUp();
  }

  /** Counts of what was created and deleted since the last look. */
  podWrites(): { created: number; deleted: string[] } {
    const { writes } = this.client;
    this.client.calls.length = 0;
    return {
      created: writes.filter((text) => text.startsWith("create pods")).length,
      deleted: writes.filter((text) => text.startsWith("delete pods")).map((text) => text.slice(14)).sort(),
    };
  }

  /** Nodes that pods were created for since the last look. */
  createdFor(): string[] {
    return this.client.bodies<Pod>("create pods").map(({ spec }) =>
      spec!.affinity!.nodeAffinity!.requiredDuringSchedulingIgnoredDuringExecution!.nodeSelectorTerms[0].matchFields![0]
        .values![0]
    ).sort();
  }

  get status(): DaemonSetStatus | undefined {
    return this.client.find(DAEMONSETS, "a/d")?.status;
  }
}
