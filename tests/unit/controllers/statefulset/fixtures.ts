import { FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import {
  type ControllerRevision,
  CONTROLLERREVISIONS,
  newControllerRef,
  type PersistentVolumeClaim,
  PERSISTENTVOLUMECLAIMS,
  type Pod,
  PODS,
  type StatefulSet,
  STATEFULSETS,
  type StatefulSetSpec,
  type StatefulSetStatus,
} from "../../../../src/api/mod.ts";
import { ConsistencyStore, controllerIndexOf, Lister, POD_CONTROLLER_INDEX } from "../../../../src/cache/mod.ts";
import {
  indexRevisions,
  revisionDataOf,
  revisionHash,
  TemplateEquivalence,
} from "../../../../src/controllers/revisions/mod.ts";
import { WriteGuard } from "../../../../src/controllers/running/mod.ts";
import type { StatefulSetContext } from "../../../../src/controllers/statefulset/context.ts";
import { UnavailableGauges } from "../../../../src/controllers/statefulset/metrics.ts";
import { syncStatefulSet } from "../../../../src/controllers/statefulset/sync.ts";
import { WorkQueue } from "../../../../src/workqueue/mod.ts";
import { endDeletedPods, FakeCache } from "../fake_cache.ts";
import { FakeRecorder } from "../fake_recorder.ts";
import { RecordedClient } from "../recorded_client.ts";
import { readyFor } from "../fake_times.ts";

/** A template as the API server stores it: with all its defaults. */
export function template(image = "i:1"): StatefulSetSpec["template"] {
  const container = {
    name: "c",
    image,
    resources: {},
    imagePullPolicy: "IfNotPresent",
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
  };
  return {
    metadata: { labels: { app: "web" } },
    spec: {
      containers: [container],
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
      securityContext: {},
      schedulerName: "default-scheduler",
    },
  };
}

/** The name of the revision with this image. */
export function revisionNameOf(image = "i:1", collisionCount = 0): string {
  return `web-${revisionHash(revisionDataOf(template(image), "double"), collisionCount)}`;
}

type SetTraits = Partial<StatefulSetSpec> & {
  image?: string;
  status?: StatefulSetStatus;
  metadata?: StatefulSet["metadata"];
};

/** A StatefulSet `a/web` of three pods as the API server stores it. */
export function statefulSet({ image, status, metadata, ...spec }: SetTraits = {}): StatefulSet {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { namespace: "a", name: "web", uid: "uid-web", generation: 1, ...metadata },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: "web" } },
      template: template(image),
      serviceName: "web",
      podManagementPolicy: "OrderedReady",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
      ...spec,
    },
    status: status ?? { replicas: 0, availableReplicas: 0 },
  };
}

/** A template of claims called `data`. */
export const DATA_TEMPLATE: PersistentVolumeClaim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", labels: { kept: "yes" } },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, volumeMode: "Filesystem" },
};

/** The claim of that template for a pod of the set. */
export function claimOf(ordinal: number, metadata: PersistentVolumeClaim["metadata"] = {}): PersistentVolumeClaim {
  const name = `data-web-${ordinal}`;
  return { ...DATA_TEMPLATE, metadata: { namespace: "a", name, uid: `uid-${name}`, ...metadata } };
}

export type PodTraits = Pod["metadata"] & {
  phase?: string;
  /** For how many seconds it has been ready; `null`: it is not. */
  readyFor?: number | null;
  image?: string;
  isOwned?: boolean;
  volumes?: NonNullable<Pod["spec"]>["volumes"];
};

/** A pod of the set: running and ready for an hour unless told otherwise. */
export function pod(ordinal: number | string, traits: PodTraits = {}): Pod {
  const { phase = "Running", readyFor: ready = 3600, image = "i:1", isOwned = true, volumes, ...metadata } = traits;
  const name = typeof ordinal === "string" ? ordinal : `web-${ordinal}`;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace: "a",
      name,
      uid: `uid-${name}`,
      labels: {
        app: "web",
        "statefulset.kubernetes.io/pod-name": name,
        "apps.kubernetes.io/pod-index": name.slice(4),
        "controller-revision-hash": revisionNameOf(image),
      },
      ownerReferences: isOwned ? [newControllerRef(statefulSet(), STATEFULSETS)] : undefined,
      ...metadata,
    },
    spec: { containers: [{ name: "c", image }], volumes },
    status: { phase, conditions: [readyFor(ready)] },
  };
}

/** A stored revision of the set. */
export function revision(
  image: string,
  number: number,
  { data, ...metadata }: ControllerRevision["metadata"] & { data?: ControllerRevision["data"] } = {},
): ControllerRevision {
  const name = revisionNameOf(image);
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      namespace: "a",
      name,
      uid: `uid-${name}`,
      labels: { app: "web", "controller.kubernetes.io/hash": name.slice(4) },
      ownerReferences: [newControllerRef(statefulSet(), STATEFULSETS)],
      ...metadata,
    },
    data: data ?? JSON.parse(revisionDataOf(template(image), "double").text), // its fields in the order in which they were sent,
    revision: number,
  };
}

/** Objects of each kind that a world begins with. */
export interface Beginnings {
  readonly set?: StatefulSet;
  readonly pods?: readonly Pod[];
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly revisions?: readonly ControllerRevision[];
}

/**
 * Everything a StatefulSet's sync needs, with caches that are filled by hand: they show what was there at the beginning, and
 * writes only after `catchUp`.
 */
export class StatefulSetHarness {
  readonly world = new FakeWorld();
  readonly client = new RecordedClient(this.world);
  readonly recorder = new FakeRecorder();
  readonly metrics = new MetricsRegistry();
  readonly queue = new WorkQueue({ world: this.world });
  readonly sets = new FakeCache(this.client, STATEFULSETS);
  readonly pods = new FakeCache(this.client, PODS, { [POD_CONTROLLER_INDEX]: controllerIndexOf });
  readonly claims = new FakeCache(this.client, PERSISTENTVOLUMECLAIMS);
  readonly revisions = new FakeCache(this.client, CONTROLLERREVISIONS);
  readonly context: StatefulSetContext;

  constructor(
    { set = statefulSet(), pods = [], claims = [], revisions = [] }: Beginnings = {},
    { maxUnavailable = false } = {},
  ) {
    indexRevisions(this.revisions);
    const { world, client, recorder, queue, metrics } = this;
    const caches = [[STATEFULSETS, this.sets], [PODS, this.pods], [PERSISTENTVOLUMECLAIMS, this.claims]] as const;
    this.context = {
      world,
      client,
      recorder,
      queue,
      sets: new Lister(this.sets),
      pods: new Lister(this.pods),
      podIndexer: this.pods,
      claims: new Lister(this.claims),
      revisions: new Lister(this.revisions),
      revisionIndexer: this.revisions,
      guard: new WriteGuard(new ConsistencyStore({ clock: world.clock, caches }), STATEFULSETS),
      equivalence: new TemplateEquivalence(),
      unavailable: maxUnavailable ? new UnavailableGauges(metrics) : undefined,
    };
    client.store(STATEFULSETS, set);
    client.store(PODS, ...pods);
    client.store(PERSISTENTVOLUMECLAIMS, ...claims);
    client.store(CONTROLLERREVISIONS, ...revisions);
    this.catchUp();
    client.calls.length = 0;
  }

  /** Shows the caches what the server has, from which deleted pods have gone. */
  catchUp(): void {
    endDeletedPods(this.client);
    for (const cache of [this.sets, this.pods, this.claims, this.revisions]) cache.catchUp();
  }

  /** Lets every pod run and be ready since long ago. */
  allReady(): void {
    for (const started of this.client.all(PODS)) {
      this.client.store(PODS, { ...started, status: { phase: "Running", conditions: [readyFor(3600)] } });
    }
    this.catchUp();
  }

  sync(): Promise<void> {
    return syncStatefulSet("a/web", this.context);
  }

  /** Syncs with caches that are up to date before, and pods that come up after. */
  async round(): Promise<void> {
    this.catchUp();
    await this.sync();
    this.allReady();
  }

  /** Changes the set as a user does. */
  change(spec: Partial<StatefulSetSpec>): void {
    this.sets.change("a/web", spec);
    this.catchUp();
  }

  /** Writes since the last look, without those of the status. */
  writes(): string[] {
    const texts = this.client.writes.filter((text) => !text.includes("/status"));
    this.client.calls.length = 0;
    return texts;
  }

  get status(): StatefulSetStatus | undefined {
    return this.client.find(STATEFULSETS, "a/web")?.status;
  }

  get podNames(): string[] {
    return this.client.all(PODS).map(({ metadata }) => metadata!.name!).sort();
  }
}
