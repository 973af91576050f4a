import { FakeWorld } from "../../../../src/base/mod.ts";
import {
  type Deployment,
  type DeploymentCondition,
  DEPLOYMENTS,
  type DeploymentSpec,
  type DeploymentStatus,
  type IntOrString,
  newControllerRef,
  PODS,
  type PodTemplateSpec,
  type ReplicaSet,
  REPLICASETS,
  type ReplicaSetStatus,
} from "../../../../src/api/mod.ts";
import { controllerIndexOf, Lister, POD_CONTROLLER_INDEX } from "../../../../src/cache/mod.ts";
import { indexReplicaSets } from "../../../../src/controllers/pods/mod.ts";
import type { DeploymentContext } from "../../../../src/controllers/deployment/context.ts";
import { syncDeployment } from "../../../../src/controllers/deployment/sync.ts";
import { defaultPodSpec } from "../../../../src/rules/mod.ts";
import { WorkQueue } from "../../../../src/workqueue/mod.ts";
import { FakeCache } from "../fake_cache.ts";
import { FakeRecorder } from "../fake_recorder.ts";
import { RecordedClient } from "../recorded_client.ts";
import { ago } from "../fake_times.ts";

export const REVISION = "deployment.kubernetes.io/revision";
export const HISTORY = "deployment.kubernetes.io/revision-history";
export const DESIRED = "deployment.kubernetes.io/desired-replicas";
export const MAX = "deployment.kubernetes.io/max-replicas";
export const ROLLBACK = "deprecated.deployment.rollback.to";

/** The pod template with this image, as the API server stores it. */
export function template(image = "nginx:1", labels: Record<string, string> = {}): PodTemplateSpec {
  const spec = { containers: [{ name: "c", image, resources: {} }] };
  defaultPodSpec(spec);
  return { metadata: { labels: { app: "x", ...labels } }, spec };
}

/** What a test Deployment may have besides what every one has. */
export type DeploymentTraits = Deployment["metadata"] & Partial<Omit<DeploymentSpec, "strategy">> & {
  type?: string;
  maxSurge?: IntOrString;
  maxUnavailable?: IntOrString;
  status?: DeploymentStatus;
};

/** The Deployment `a/d`: a rolling update with maxSurge and maxUnavailable 0 and no limits, unless told otherwise. */
export function deployment(traits: DeploymentTraits = {}): Deployment {
  const {
    type = "RollingUpdate",
    maxSurge = 0,
    maxUnavailable = 0,
    status = {},
    replicas = 1,
    selector = { matchLabels: { app: "x" } },
    template: pods = template(),
    minReadySeconds,
    paused,
    progressDeadlineSeconds,
    revisionHistoryLimit,
    ...metadata
  } = traits;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace: "a", name: "d", uid: "uid-d", generation: 1, ...metadata },
    spec: {
      replicas,
      selector,
      template: pods,
      strategy: { type, ...(type === "RollingUpdate" ? { rollingUpdate: { maxSurge, maxUnavailable } } : {}) },
      minReadySeconds,
      paused,
      progressDeadlineSeconds,
      revisionHistoryLimit,
    },
    status,
  };
}

/** What a test ReplicaSet may have. */
export type ReplicaSetTraits = ReplicaSet["metadata"] & {
  /** Pods that are there, ready and available; default as many as the size. */
  available?: number;
  image?: string;
  revision?: string;
  /** The Deployment's size and largest size when this one was sized. */
  desired?: number;
  max?: number;
  isOwned?: boolean;
  status?: Partial<ReplicaSetStatus>;
};

/** A ReplicaSet of the Deployment `a/d` with `size` pods; its name ends in how many minutes old it is. */
export function replicaSet(name: string, size: number, traits: ReplicaSetTraits = {}): ReplicaSet {
  const {
    available = size,
    image = "nginx:0",
    revision,
    desired,
    max,
    isOwned = true,
    status,
    annotations,
    ...metadata
  } = traits;
  const known = { [REVISION]: revision, [DESIRED]: desired?.toString(), [MAX]: max?.toString(), ...annotations };
  const present = Object.entries(known).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      namespace: "a",
      name,
      uid: `uid-${name}`,
      generation: 1,
      labels: { app: "x", "pod-template-hash": name },
      annotations: Object.fromEntries(present),
      ownerReferences: isOwned ? [newControllerRef(deployment(), DEPLOYMENTS)] : undefined,
      creationTimestamp: ago(60 * Number(/\d+$/.exec(name)?.[0] ?? 0)),
      ...metadata,
    },
    spec: {
      replicas: size,
      selector: { matchLabels: { app: "x", "pod-template-hash": name } },
      template: template(image, { "pod-template-hash": name }),
    },
    status: {
      replicas: size,
      readyReplicas: available || undefined,
      availableReplicas: available || undefined,
      terminatingReplicas: 0,
      observedGeneration: 1,
      ...status,
    },
  };
}

/** A condition that was updated and changed so many seconds ago. */
export function condition(
  type: string,
  status: string,
  reason: string,
  { message = "", updated = 0, changed = updated }: { message?: string; updated?: number; changed?: number } = {},
): DeploymentCondition {
  return { type, status, reason, message, lastUpdateTime: ago(updated), lastTransitionTime: ago(changed) };
}

/** Everything a Deployment's sync needs; its caches are filled by hand and show writes only after `catchUp`. */
export class DeploymentHarness {
  readonly world = new FakeWorld();
  readonly client = new RecordedClient(this.world);
  readonly recorder = new FakeRecorder();
  readonly queue = new WorkQueue({ world: this.world });
  readonly deployments = new FakeCache(this.client, DEPLOYMENTS);
  readonly replicaSets = new FakeCache(this.client, REPLICASETS);
  readonly pods = new FakeCache(this.client, PODS, { [POD_CONTROLLER_INDEX]: controllerIndexOf });
  readonly context: DeploymentContext;

  constructor(cached: Deployment, ...replicaSets: ReplicaSet[]) {
    indexReplicaSets(this.replicaSets);
    this.deployments.begin(cached);
    this.replicaSets.begin(...replicaSets);
    this.context = {
      world: this.world,
      client: this.client,
      recorder: this.recorder,
      queue: this.queue,
      deployments: new Lister(this.deployments),
      replicaSets: new Lister(this.replicaSets),
      replicaSetIndexer: this.replicaSets,
      pods: this.pods,
    };
  }

  /** Shows the caches what the server has. */
  catchUp(): void {
    for (const cache of [this.deployments, this.replicaSets, this.pods]) cache.catchUp();
  }

  sync(key = "a/d"): Promise<void> {
    return syncDeployment(key, this.context);
  }

  /** The Deployment on the server. */
  get deployment(): Deployment {
    return this.client.find(DEPLOYMENTS, "a/d")!;
  }

  /** Name to size of the ReplicaSets on the server. */
  get sizes(): Record<string, number | undefined> {
    const entries = this.client.all(REPLICASETS).map(({ metadata, spec }) =>
      [metadata!.name!, spec?.replicas] as const
    );
    return Object.fromEntries(entries);
  }

  /** Type, status and reason of the Deployment's conditions on the server. */
  get conditions(): string[] {
    return this.deployment.status?.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`) ?? [];
  }
}
