/** Controllers of slices on an embedded API server that shows what was asked of it, and caches that lag as long as a test likes. */
import { deepCopy, FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import {
  type Endpoints,
  type EndpointSlice,
  ENDPOINTSLICES,
  groupResource,
  type KubeObject,
  NAMESPACES,
  type Node,
  objectKey,
  type Pod,
  type Resource,
  type Service,
} from "../../../../src/api/mod.ts";
import { Indexer, Lister, NAMESPACE_INDEX, namespaceOf } from "../../../../src/cache/mod.ts";
import { Client } from "../../../../src/client/mod.ts";
import { createApiServer } from "../../../../src/sandbox/mod.ts";
import { MemoryBackend, Store, type StoredObject } from "../../../../src/sandbox/storage/mod.ts";
import { FakeRecorder } from "../fake_recorder.ts";

/** A cache that shows what it is given. */
export class ShownCache<T extends KubeObject> {
  readonly indexer: Indexer<T> = new Indexer<T>({ indexers: { [NAMESPACE_INDEX]: namespaceOf } });
  readonly lister: Lister<T> = new Lister(this.indexer);

  hasIndexer(name: string): boolean {
    return this.indexer.hasIndexer(name);
  }

  addIndexers(indexers: Parameters<Indexer<T>["addIndexers"]>[0]): void {
    this.indexer.addIndexers(indexers);
  }
}

export class SliceRig {
  readonly world: FakeWorld = new FakeWorld();
  readonly metrics: MetricsRegistry = new MetricsRegistry();
  readonly recorder: FakeRecorder = new FakeRecorder();
  readonly services: ShownCache<Service> = new ShownCache();
  readonly pods: ShownCache<Pod> = new ShownCache();
  readonly nodes: ShownCache<Node> = new ShownCache();
  readonly slices: ShownCache<EndpointSlice> = new ShownCache();
  readonly endpoints: ShownCache<Endpoints> = new ShownCache();
  readonly client: Client;
  /** `POST`, `PUT web-1`, `DELETE web-1`. */
  readonly writes: string[] = [];
  /** Answers instead of the server, if it answers. */
  refuse: (write: string) => Response | undefined = () => undefined;
  readonly #store: Store;

  constructor() {
    const { world } = this;
    const backend = new MemoryBackend();
    const server = createApiServer({ world, backend, bootstraps: false, managedFields: false });
    this.#store = new Store({ backend, clock: world.clock });
    const transport = (request: Request): Promise<Response> => {
      const path = new URL(request.url).pathname.split("/endpointslices")[1] ?? "";
      if (request.method !== "GET") this.writes.push([request.method, path.slice(1)].join(" ").trim());
      const answer = request.method !== "GET" && this.refuse(this.writes.at(-1)!);
      return answer ? Promise.resolve(answer) : server.fetch(request);
    };
    this.client = new Client({ world, transport, server: "http://server", userAgent: "test" });
    this.#put(NAMESPACES, { metadata: { name: "a" }, status: { phase: "Active" } });
  }

  /** Puts slices on the server, and shows them. */
  given(...slices: EndpointSlice[]): void {
    for (const slice of slices) this.#put(ENDPOINTSLICES, slice);
    this.catchUp();
  }

  /** Shows the slices that the server has. */
  catchUp(): void {
    this.slices.indexer.replace(this.stored, "1");
  }

  /** The slices that the server has, by name. */
  get stored(): EndpointSlice[] {
    const entries = this.#store.list(groupResource(ENDPOINTSLICES)) ?? [];
    return Array.from(entries, ({ object }) => object as unknown as EndpointSlice);
  }

  /** What was written since the last look. */
  written(): string[] {
    return this.writes.splice(0);
  }

  #put<T extends KubeObject>(resource: Resource<T>, object: T): void {
    const { apiVersion: _version, kind: _kind, ...stored } = deepCopy(object);
    this.#store.put(groupResource(resource), objectKey(object), stored as StoredObject);
  }
}
