/** What a scenario works with: one namespace on one server, and patience. */
import {
  type Deployment,
  DEPLOYMENTS,
  EVENTS,
  type KubeObject,
  objectKey,
  type Pod,
  PODS,
  type ReplicaSet,
  REPLICASETS,
  type Resource,
} from "../../src/api/mod.ts";
import { stringifyJson } from "../../src/base/mod.ts";
import { type Client, isNotFound } from "../../src/client/mod.ts";

/** Asks until the condition gives something; real servers are waited for in real time, embedded ones by moving a fake clock. */
export type Eventually = <T>(what: string, condition: () => Promise<T | undefined | false>) => Promise<T>;

export interface KitOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly eventually: Eventually;
  /** Writes an object where the API server keeps it, past all that the API server checks. */
  readonly store?: (resource: Resource, object: KubeObject) => Promise<void>;
}

export class Kit {
  readonly client: Client;
  readonly namespace: string;
  readonly #eventually: Eventually;
  readonly #store: KitOptions["store"];

  constructor({ client, namespace, eventually, store }: KitOptions) {
    this.client = client;
    this.namespace = namespace;
    this.#eventually = eventually;
    this.#store = store;
  }

  create<T extends KubeObject>(resource: Resource<T>, object: T): Promise<T> {
    return this.client.create(resource, object, resource.namespaced ? { namespace: this.namespace } : {});
  }

  /**
   * Creates an object that the API server would refuse, or whose status it would drop: as a client of an older server may have
   * left it behind.
   *
   * @param spoil Changes the valid object after its defaults were filled in.
   */
  async createUnchecked<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    spoil: (made: T) => void,
  ): Promise<void> {
    const { namespace } = this;
    const made = await this.client.create(resource, object, { namespace, dryRun: true });
    spoil(made);
    await this.#put(resource, made);
  }

  /** Changes an object in a way that the API server would refuse. */
  async changeUnchecked<T extends KubeObject>(
    resource: Resource<T>,
    name: string,
    spoil: (stored: T) => void,
  ): Promise<void> {
    const stored = await this.get(resource, name);
    spoil(stored);
    await this.#put(resource, stored);
  }

  async #put(resource: Resource, object: KubeObject): Promise<void> {
    if (!this.#store) {
      throw new Error(`${resource.kind} cannot be stored unchecked here: the kit was made without a store`);
    }
    await this.#store(resource, object);
  }

  get<T extends KubeObject>(resource: Resource<T>, name: string): Promise<T> {
    return this.client.get(resource, { namespace: resource.namespaced ? this.namespace : undefined, name });
  }

  async find<T extends KubeObject>(resource: Resource<T>, name: string): Promise<T | undefined> {
    try {
      return await this.get(resource, name);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async list<T extends KubeObject>(resource: Resource<T>, labelSelector?: string): Promise<T[]> {
    const namespace = resource.namespaced ? this.namespace : undefined;
    return (await this.client.list(resource, { namespace, labelSelector })).items;
  }

  merge<T extends KubeObject>(resource: Resource<T>, name: string, body: unknown, subresource?: string): Promise<T> {
    return this.client.patch(resource, { namespace: this.namespace, name }, { type: "merge", body, subresource });
  }

  delete(
    resource: Resource,
    name: string,
    propagationPolicy?: "Orphan" | "Background" | "Foreground",
  ): Promise<unknown> {
    return this.client.delete(resource, { namespace: this.namespace, name }, { propagationPolicy });
  }

  /** Waits until `holds` for the object, and gives it. */
  until<T extends KubeObject>(
    resource: Resource<T>,
    name: string,
    what: string,
    holds: (object: T) => unknown,
  ): Promise<T> {
    let last: T | undefined;
    return this.#eventually(`${resource.kind} ${this.namespace}/${name} ${what}`, async () => {
      last = await this.get(resource, name);
      return await holds(last) ? last : undefined;
    }).catch((error: Error) => {
      const status = stringifyJson({ ...last, metadata: { ...last?.metadata, managedFields: undefined } });
      throw new Error(`${error.message}; last seen: ${status}`, { cause: error });
    });
  }

  /** Waits until the object is gone. */
  async untilGone(resource: Resource, name: string): Promise<void> {
    await this.#eventually(
      `${resource.kind} ${this.namespace}/${name} is gone`,
      async () => await this.find(resource, name) === undefined,
    );
  }

  /** Waits until `holds` for all objects of a kind in the namespace. */
  untilAll<T extends KubeObject>(resource: Resource<T>, what: string, holds: (objects: T[]) => unknown): Promise<T[]> {
    let last: T[] = [];
    return this.#eventually(`${resource.plural} in ${this.namespace}: ${what}`, async () => {
      last = await this.list(resource);
      return await holds(last) ? last : undefined;
    }).catch((error: Error) => {
      throw new Error(`${error.message}; last seen: ${last.map(objectKey)}`, { cause: error });
    });
  }

  /** Waits until an event has this reason. */
  async untilEvent(reason: string): Promise<void> {
    await this.untilAll(EVENTS, `one says ${reason}`, (events) => events.some((event) => event.reason === reason));
  }

  /** Goes back to the template of a revision, as `kubectl rollout undo` does. */
  async undo(name: string, revision: string): Promise<void> {
    const of = (set: ReplicaSet) => set.metadata?.annotations?.["deployment.kubernetes.io/revision"];
    const set = (await this.list(REPLICASETS)).find((candidate) => of(candidate) === revision);
    if (!set) throw new Error(`No ReplicaSet in ${this.namespace} has revision ${revision}`);
    const { "pod-template-hash": _hash, ...labels } = set.spec!.template!.metadata!.labels!;
    const template = { ...set.spec!.template, metadata: { ...set.spec!.template!.metadata, labels } };
    await this.client.patch(DEPLOYMENTS, { namespace: this.namespace, name }, {
      type: "json",
      body: [{ op: "replace", path: "/spec/template", value: template }],
    });
  }

  /** Waits until a Deployment's rollout is complete and nothing of it is still ending. */
  async rolledOut(name: string): Promise<Deployment> {
    const deployment = await this.until(DEPLOYMENTS, name, "is rolled out", isRolledOut);
    await this.settled();
    return deployment;
  }

  /** Waits until every ReplicaSet of the namespace has its pods, and none is ending. */
  async settled(): Promise<void> {
    await this.untilAll(PODS, "none is ending", (pods) => pods.every((pod) => !pod.metadata?.deletionTimestamp));
    await this.untilAll(REPLICASETS, "all have observed their spec", (sets) => sets.every(isSettled));
    await this.untilAll(
      DEPLOYMENTS,
      "all have observed their ReplicaSets",
      (all) =>
        all.every((deployment) =>
          deployment.status?.observedGeneration === deployment.metadata?.generation &&
          !deployment.status?.terminatingReplicas
        ),
    );
  }
}

export function isRolledOut({ metadata, spec, status }: Deployment): boolean {
  const wanted = spec?.replicas ?? 1;
  return status?.observedGeneration === metadata?.generation && (status?.updatedReplicas ?? 0) === wanted &&
    (status?.replicas ?? 0) === wanted && (status?.availableReplicas ?? 0) === wanted;
}

function isSettled({ metadata, spec, status }: ReplicaSet): boolean {
  return status?.observedGeneration === metadata?.generation && (status?.replicas ?? 0) === spec?.replicas &&
    !status?.terminatingReplicas;
}

/** A Deployment of one nginx container. */
export function deployment(
  name: string,
  { replicas = 3, image = "nginx:1", ...spec }: { replicas?: number; image?: string } & Partial<Deployment["spec"]> =
    {},
): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, labels: { app: name } },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: podTemplate(name, image), ...spec },
  };
}

/** A ReplicaSet of one nginx container. */
export function replicaSet(name: string, { replicas = 3, image = "nginx:1" } = {}): ReplicaSet {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: podTemplate(name, image) },
  };
}

export function podTemplate(
  app: string,
  image = "nginx:1",
): { metadata: { labels: Record<string, string> }; spec: Pod["spec"] } {
  return {
    metadata: { labels: { app } },
    spec: { containers: [{ name: "c", image }], terminationGracePeriodSeconds: 1 },
  };
}

/** A pod with the labels of {@link podTemplate}, owned by nobody. */
export function orphanPod(name: string, app: string): Pod {
  return { apiVersion: "v1", kind: "Pod", metadata: { name, labels: { app } }, spec: podTemplate(app).spec };
}
