import { deepCopy, FakeWorld } from "../../../src/base/mod.ts";
import {
  apiVersionOf,
  CUSTOMRESOURCEDEFINITIONS,
  groupResource,
  joinKey,
  type KubeObject,
  NAMESPACES,
  objectKey,
  type Pod,
  PODS,
  type Resource,
  SERVICEACCOUNTS,
} from "../../../src/api/mod.ts";
import { Client, type ObjectRef } from "../../../src/client/mod.ts";
import { defaultPodSpec } from "../../../src/rules/mod.ts";
import { createApiServer } from "../../../src/sandbox/mod.ts";
import { MemoryBackend, Store, type StoredObject } from "../../../src/sandbox/storage/mod.ts";

/** A request that was made. */
export interface RecordedCall {
  /** `get pods a/p`, `list pods a`, `create pods a/r-*`, `put replicasets/status a/r`, `patch pods a/p`. */
  readonly text: string;
  readonly body?: unknown;
}

/** A write to the server. */
export interface StoredChange {
  /** Group and plural of the resource: `replicasets.apps`, `pods`. */
  readonly of: string;
  /** As it is now, or was at last. */
  readonly object: KubeObject;
  /** What it was before, unless it is new. */
  readonly old: KubeObject | undefined;
  readonly isGone: boolean;
}

interface Fault {
  readonly prefix: string;
  readonly error: unknown;
  skip: number;
  times: number;
}

/** What a request is about, and how it is sent. */
interface Sending<R> extends Partial<ObjectRef> {
  readonly subresource?: string;
  readonly body?: unknown;
  readonly send: () => Promise<R>;
}

/**
 * A client of an embedded API server of its own, which writes down what is asked of it. The server answers as
 * kube-apiserver does; there is nothing on it but the namespace `a` with its account, and what
 * {@link RecordedClient.store} puts there.
 */
export class RecordedClient {
  readonly calls: RecordedCall[] = [];
  /** Told of every call before it is sent; the place to change things behind the caller's back. */
  onCall: (text: string, body?: unknown) => void = () => {};
  /** Told of every write to the server; connect caches here. */
  onChange: (change: StoredChange) => void = () => {};
  readonly #backend = new ObservedBackend((change) => this.onChange(change));
  readonly #store: Store;
  readonly #client: Client;
  readonly #faults: Fault[] = [];

  constructor(world: FakeWorld = new FakeWorld(), featureGates: Readonly<Record<string, boolean>> = {}) {
    const backend = this.#backend;
    const server = createApiServer({ world, backend, bootstraps: false, managedFields: false, featureGates });
    this.#store = new Store({ backend, clock: world.clock });
    this.#client = new Client({ world, transport: server.fetch, server: "http://server", userAgent: "test" });
    this.store(NAMESPACES, {
      metadata: { name: "a", uid: "uid-a" },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
    this.store(SERVICEACCOUNTS, {
      metadata: { namespace: "a", name: "default", uid: "uid-default" },
      automountServiceAccountToken: false,
    });
  }

  /** The resource version of the last write. */
  get version(): string {
    return String(this.#store.revision);
  }

  /** The texts of the calls, without those that only read. */
  get writes(): string[] {
    return this.calls.map(({ text }) => text).filter((text) => !/^(get|list) /.test(text));
  }

  /** The calls in one line each: the text, and the body in JSON where there is one. */
  get lines(): string[] {
    return this.calls.map(({ text, body }) => body === undefined ? text : `${text} ${JSON.stringify(body)}`);
  }

  /** The bodies of the calls whose text begins with `prefix`. */
  bodies<T>(prefix: string): T[] {
    return this.calls.filter(({ text }) => text.startsWith(prefix)).map(({ body }) => body as T);
  }

  /**
   * Puts objects in place as they are, whatever the server would say of them, and records nothing. Pods get the server's
   * defaults, without which it would let nobody change them. Resource versions are the server's, which goes on to an
   * object's own first if that is still to come.
   */
  store<T extends KubeObject>(resource: Resource<T>, ...objects: T[]): T[] {
    return objects.map((object) => {
      const { apiVersion: _version, kind: _kind, ...stored } = asSent(object);
      if (groupResource(resource) === groupResource(PODS)) addPodDefaults(stored as Pod);
      const wanted = Number(object.metadata?.resourceVersion ?? 0);
      if (wanted > this.#store.revision + 1) this.#backend.resume(wanted - 1);
      this.#store.put(groupResource(resource), objectKey(object), stored as StoredObject);
      return this.find(resource, objectKey(object))!;
    });
  }

  /** Has the server serve a custom resource, which has a scale and may hold anything. */
  async serve({ group, version, plural, kind }: Resource): Promise<void> {
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
    await this.#client.create(CUSTOMRESOURCEDEFINITIONS, {
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { plural, kind },
        versions: [{ name: version, served: true, storage: true, schema, subresources: { scale } }],
      },
    });
  }

  /** Takes an object away, and records nothing. */
  remove(resource: Resource, key: string): void {
    this.#store.remove(groupResource(resource), key);
  }

  /** The object as it is on the server, if it is there. */
  find<T extends KubeObject>(resource: Resource<T>, key: string): T | undefined {
    const stored = this.#store.get(groupResource(resource), key);
    return stored && { apiVersion: apiVersionOf(resource), kind: resource.kind, ...deepCopy(stored) } as unknown as T;
  }

  /** All objects of a kind on the server, in the order of their keys. */
  all<T extends KubeObject>(resource: Resource<T>): T[] {
    const entries = [...this.#store.list(groupResource(resource)) ?? []];
    return entries.map(({ key }) => this.find(resource, key)!);
  }

  /** Lets calls whose text begins with `prefix` fail without reaching the server: `times` of them, after `skip` that do. */
  fail(prefix: string, error: unknown, { skip = 0, times = Infinity } = {}): void {
    this.#faults.push({ prefix, error, skip, times });
  }

  get: Client["get"] = (resource, ref, options) =>
    this.#record("get", resource, {
      ...ref,
      subresource: options?.subresource,
      send: () => this.#client.get(resource, ref, options),
    });

  getMetadata: Client["getMetadata"] = (resource, ref, options) =>
    this.#record("get", resource, { ...ref, send: () => this.#client.getMetadata(resource, ref, options) });

  list: Client["list"] = (resource, options) =>
    this.#record("list", resource, { ...rangeOf(options), send: () => this.#client.list(resource, options) });

  listMetadata: Client["listMetadata"] = (resource, options) =>
    this.#record("list", resource, { ...rangeOf(options), send: () => this.#client.listMetadata(resource, options) });

  create: Client["create"] = (resource, object, options) =>
    this.#record("create", resource, {
      ...createdRef(object),
      subresource: options?.subresource,
      body: object,
      send: () => this.#client.create(resource, object, options),
    });

  /** Recorded as a `create`. */
  createMetadata: Client["createMetadata"] = (resource, object, options) =>
    this.#record("create", resource, {
      ...createdRef(object),
      body: object,
      send: () => this.#client.createMetadata(resource, object, options),
    });

  update: Client["update"] = (resource, object, options) =>
    this.#record("put", resource, {
      ...refOf(object),
      subresource: options?.subresource,
      body: object,
      send: () => this.#client.update(resource, object, options),
    });

  updateStatus: Client["updateStatus"] = (resource, object, options) =>
    this.#record("put", resource, {
      ...refOf(object),
      subresource: "status",
      body: object,
      send: () => this.#client.updateStatus(resource, object, options),
    });

  patch: Client["patch"] = (resource, ref, options) =>
    this.#record("patch", resource, {
      ...ref,
      subresource: options.subresource,
      body: options.body,
      send: () => this.#client.patch(resource, ref, options),
    });

  /** Recorded as a `patch`. */
  patchMetadata: Client["patchMetadata"] = (resource, ref, options) =>
    this.#record("patch", resource, {
      ...ref,
      subresource: options.subresource,
      body: options.body,
      send: () => this.#client.patchMetadata(resource, ref, options),
    });

  delete: Client["delete"] = (resource, ref, options) =>
    this.#record("delete", resource, {
      ...ref,
      body: options,
      send: () => this.#client.delete(resource, ref, options),
    });

  deleteCollection: Client["deleteCollection"] = (resource, options) =>
    this.#record("deletecollection", resource, {
      ...rangeOf(options),
      body: options?.propagationPolicy,
      send: () => this.#client.deleteCollection(resource, options),
    });

  async #record<R>(
    verb: string,
    { plural }: Resource,
    { namespace, name = "", subresource, body, send }: Sending<R>,
  ): Promise<R> {
    const text = `${verb} ${subresource ? `${plural}/${subresource}` : plural} ${joinKey(namespace, name)}`.trimEnd();
    this.calls.push({ text, body: deepCopy(body) });
    this.onCall(text, body);
    const fault = this.#faults.find(({ prefix, times }) => text.startsWith(prefix) && times > 0);
    if (!fault || fault.skip-- > 0) return await send();
    fault.times--;
    throw fault.error;
  }
}

/** Tells of what is written. */
class ObservedBackend extends MemoryBackend {
  readonly #onWrite: (change: StoredChange) => void;

  constructor(onWrite: (change: StoredChange) => void) {
    super();
    this.#onWrite = onWrite;
  }

  override write(...[collection, key, object, revision]: Parameters<MemoryBackend["write"]>): void {
    const old = this.get(collection, key)?.object;
    super.write(collection, key, object, revision);
    const last = object ?? old;
    if (last) this.#onWrite({ of: collection, object: deepCopy(last), old: deepCopy(old), isGone: !object });
  }
}

function refOf({ metadata }: KubeObject): ObjectRef {
  return { namespace: metadata?.namespace, name: metadata?.name ?? "" };
}

/** Of an object whose name the server makes up, what it begins with is known. */
function createdRef({ metadata }: KubeObject): ObjectRef {
  return { namespace: metadata?.namespace, name: metadata?.name ?? `${metadata?.generateName}*` };
}

/** `list pods a`, `list pods a/app=x`. */
function rangeOf({ namespace, labelSelector }: { namespace?: string; labelSelector?: string } = {}) {
  return labelSelector ? { namespace, name: labelSelector } : { name: namespace };
}

function addPodDefaults({ spec }: Pod): void {
  if (!spec) return;
  defaultPodSpec(spec);
  spec.enableServiceLinks ??= true;
}

/** As on the wire: what is undefined does not exist. */
function asSent<T>(object: T): T {
  return JSON.parse(JSON.stringify(object));
}
