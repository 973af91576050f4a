import { deepCopy, FakeWorld } from "../../../src/base/mod.ts";
import {
  apiVersionOf,
  groupResource,
  joinKey,
  type KubeObject,
  objectKey,
  type Resource,
} from "../../../src/api/mod.ts";
import { Client, type ObjectRef } from "../../../src/client/mod.ts";
import { createApiServer } from "../../../src/sandbox/mod.ts";
import { MemoryBackend, Store, type StoredObject } from "../../../src/sandbox/storage/mod.ts";

/** A request that was made. */
export interface RecordedCall {
  /** `get pods a/p`, `patch pods a/p`. */
  readonly text: string;
  readonly body?: unknown;
}

interface Fault {
  readonly prefix: string;
  readonly error: unknown;
  left: number;
}

/**
 * A client of an embedded API server of its own, which writes down what is asked of it. The server answers as
 * kube-apiserver does; it has nothing in it but what {@link RecordedClient.store} puts there.
 */
export class RecordedClient {
  readonly calls: RecordedCall[] = [];
  readonly #store: Store;
  readonly #client: Client;
  readonly #faults: Fault[] = [];

  constructor(world: FakeWorld = new FakeWorld()) {
    const backend = new MemoryBackend();
    const server = createApiServer({ world, backend, bootstraps: false, managedFields: false });
    this.#store = new Store({ backend, clock: world.clock });
    this.#client = new Client({ world, transport: server.fetch, server: "http://server", userAgent: "test" });
  }

  /** The texts of the calls, without those that only read. */
  get writes(): string[] {
    return this.calls.map(({ text }) => text).filter((text) => !text.startsWith("get "));
  }

  /** Puts objects in place as they are, whatever the server would say of them, and records nothing. */
  store<T extends KubeObject>(resource: Resource<T>, ...objects: T[]): T[] {
    return objects.map((object) => {
      const { apiVersion: _version, kind: _kind, ...stored } = deepCopy(object);
      this.#store.put(groupResource(resource), objectKey(object), stored as StoredObject);
      return this.find(resource, objectKey(object))!;
    });
  }

  /** The object as it is on the server, if it is there. */
  find<T extends KubeObject>(resource: Resource<T>, key: string): T | undefined {
    const stored = this.#store.get(groupResource(resource), key);
    return stored && { apiVersion: apiVersionOf(resource), kind: resource.kind, ...stored } as T;
  }

  /** Lets calls whose text begins with `prefix` fail without reaching the server: all of them, or so many. */
  fail(prefix: string, error: unknown, times = Infinity): void {
    this.#faults.push({ prefix, error, left: times });
  }

  get: Client["get"] = (resource, ref, options) =>
    this.#record("get", resource, ref, undefined, () => this.#client.get(resource, ref, options));

  patch: Client["patch"] = (resource, ref, options) =>
    this.#record("patch", resource, ref, options.body, () => this.#client.patch(resource, ref, options));

  updateStatus: Client["updateStatus"] = (resource, object, options) => {
    const { namespace, name = "" } = object.metadata ?? {};
    const send = () => this.#client.updateStatus(resource, object, options);
    return this.#record("put", { ...resource, plural: `${resource.plural}/status` }, { namespace, name }, object, send);
  };

  delete: Client["delete"] = (resource, ref, options) =>
    this.#record("delete", resource, ref, options, () => this.#client.delete(resource, ref, options));

  #record<R>(
    verb: string,
    resource: Resource,
    { namespace, name }: ObjectRef,
    body: unknown,
    send: () => Promise<R>,
  ): Promise<R> {
    const text = `${verb} ${resource.plural} ${joinKey(namespace, name)}`;
    this.calls.push({ text, body: deepCopy(body) });
    const fault = this.#faults.find(({ prefix, left }) => left > 0 && text.startsWith(prefix));
    if (!fault) return send();
    fault.left--;
    return Promise.reject(fault.error);
  }
}
