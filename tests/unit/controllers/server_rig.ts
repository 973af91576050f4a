import { deepCopy, FakeWorld } from "../../../src/base/mod.ts";
import {
  apiVersionOf,
  groupResource,
  type KubeObject,
  NAMESPACES,
  objectKey,
  type Resource,
} from "../../../src/api/mod.ts";
import { Indexer, NAMESPACE_INDEX, namespaceOf } from "../../../src/cache/mod.ts";
import { Client } from "../../../src/client/mod.ts";
import { createApiServer } from "../../../src/sandbox/mod.ts";
import { MemoryBackend, Store, type StoredObject } from "../../../src/sandbox/storage/mod.ts";

interface Fault {
  readonly prefix: string;
  readonly code: number;
  times: number;
}

interface ServerRigOptions {
  readonly managedFields?: boolean;
  readonly featureGates?: Readonly<Record<string, boolean>>;
}

/**
 * An embedded API server with a client whose requests are written down, and caches that show what the server has when they are
 * told to. There is nothing on the server but the namespace `a`, and what
 * {@link ServerRig.store} puts there.
 */
export class ServerRig {
  readonly world = new FakeWorld();
  /** `PUT persistentvolumeclaims a/c`, `LIST pods a`, in order. */
  readonly calls: string[] = [];
  readonly client: Client;
  readonly #store: Store;
  readonly #faults: Fault[] = [];

  constructor({ managedFields = false, featureGates }: ServerRigOptions = {}) {
    const backend = new MemoryBackend();
    const server = createApiServer({ world: this.world, backend, bootstraps: false, managedFields, featureGates });
    this.#store = new Store({ backend, clock: this.world.clock });
    this.store(NAMESPACES, {
      metadata: { name: "a" },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
    const transport = (request: Request): Promise<Response> => {
      const text = textOf(request);
      this.calls.push(text);
      const fault = this.#faults.find(({ prefix, times }) => times > 0 && text.startsWith(prefix));
      if (!fault) return server.fetch(request);
      fault.times--;
      const status = { kind: "Status", apiVersion: "v1", status: "Failure", code: fault.code, message: "no luck" };
      return Promise.resolve(Response.json(status, { status: fault.code }));
    };
    this.client = new Client({ world: this.world, transport, server: "http://server", userAgent: "test" });
  }

  /** The calls that change something. */
  get writes(): string[] {
    return this.calls.filter((text) => !/^(GET|LIST) /.test(text));
  }

  /** Lets so many calls whose text begins with `prefix` fail. */
  fail(prefix: string, code: number, times = Infinity): void {
    this.#faults.push({ prefix, code, times });
  }

  /** Puts objects in place as they are, whatever the server would say of them. */
  store<T extends KubeObject>(resource: Resource<T>, ...objects: T[]): void {
    for (const object of objects) {
      const { apiVersion: _version, kind: _kind, ...stored } = deepCopy(object);
      this.#store.put(groupResource(resource), objectKey(object), stored as StoredObject);
    }
  }

  /** Takes an object away. */
  remove(resource: Resource, key: string): void {
    this.#store.remove(groupResource(resource), key);
  }

  /** The object as it is on the server, if it is there. */
  find<T extends KubeObject>(resource: Resource<T>, key: string): T | undefined {
    const stored = this.#store.get(groupResource(resource), key);
    return stored && { apiVersion: apiVersionOf(resource), kind: resource.kind, ...deepCopy(stored) } as unknown as T;
  }

  /** All objects of a kind on the server. */
  all<T extends KubeObject>(resource: Resource<T>): T[] {
    const keys = [...this.#store.list(groupResource(resource)) ?? []].map(({ object }) => objectKey(object));
    return keys.map((key) => this.find(resource, key)!);
  }

  /** An empty cache of a kind. */
  cache<T extends KubeObject>(): Indexer<T> {
    return new Indexer<T>({ indexers: { [NAMESPACE_INDEX]: namespaceOf } });
  }

  /** Lets a cache show what the server has. */
  show<T extends KubeObject>(resource: Resource<T>, cache: Indexer<T>): void {
    cache.replace(this.all(resource), "1");
  }
}

/** `PATCH pods/status a/p`. */
function textOf(request: Request): string {
  const { pathname } = new URL(request.url);
  const [, namespace, plural = "", name, subresource] =
    /\/(?:v1|v1alpha2)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(pathname) ?? [];
  const verb = request.method === "GET" && name === undefined ? "LIST" : request.method;
  const what = subresource ? `${plural}/${subresource}` : plural;
  return [verb, what, [namespace, name].filter(Boolean).join("/")].join(" ").trim();
}
