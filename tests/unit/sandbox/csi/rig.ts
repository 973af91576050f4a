import { assertEquals } from "@std/assert";
import { type KubeObject, PERSISTENTVOLUMECLAIMS, type Resource } from "../../../../src/api/mod.ts";
import { Client, isNotFound } from "../../../../src/client/mod.ts";
import { SimulatedStorage } from "../../../../src/sandbox/mod.ts";
import { Harness } from "../apiserver/harness.ts";

export const DRIVER = "storage.kubeloop.dev";
const NAMESPACE = "default";

/** A server with simulated storage that runs until the end of the test; what controllers do there is the test's. */
export class StorageRig implements AsyncDisposable {
  readonly api = new Harness();
  readonly client: Client;
  /** What storage wrote: `METHOD path`, events aside. */
  readonly writes: string[] = [];
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  private constructor() {
    const { world, server } = this.api;
    this.client = new Client({ world, transport: server.fetch, server: "http://server", userAgent: "test/1" });
    const transport = (request: Request) => {
      const { pathname } = new URL(request.url);
      if (request.method !== "GET" && !pathname.includes("/events")) this.writes.push(`${request.method} ${pathname}`);
      return server.fetch(request);
    };
    const client = new Client({ world, transport, server: "http://server", userAgent: "storage/1" });
    this.#running = new SimulatedStorage({ world, client, events: true }).run(this.#stop.signal);
  }

  static async start(): Promise<StorageRig> {
    const rig = new StorageRig();
    await rig.api.account(NAMESPACE);
    await rig.advance(1);
    return rig;
  }

  advance(ms: number): Promise<void> {
    return this.api.world.clock.advance(ms);
  }

  async create<T extends KubeObject>(resource: Resource<T>, object: T): Promise<T> {
    const made = await this.client.create(resource, object, resource.namespaced ? { namespace: NAMESPACE } : {});
    await this.advance(1);
    return made;
  }

  async find<T extends KubeObject>(resource: Resource<T>, name: string): Promise<T | undefined> {
    try {
      return await this.client.get(resource, { namespace: resource.namespaced ? NAMESPACE : undefined, name });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async change<T extends KubeObject>(resource: Resource<T>, name: string, body: object, subresource?: string) {
    const namespace = resource.namespaced ? NAMESPACE : undefined;
    await this.client.patch(resource, { namespace, name }, { type: "merge", body, subresource });
    await this.advance(1);
  }

  /** A claim for which a binder has asked for a volume. */
  async claim(name: string, annotations: Record<string, string> = {}, storageClassName = "fast") {
    return await this.create(PERSISTENTVOLUMECLAIMS, {
      metadata: { name, annotations: { "volume.kubernetes.io/storage-provisioner": DRIVER, ...annotations } },
      spec: { storageClassName, accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
  }

  /** `REASON message` of the events, in the order of their names. */
  async events(): Promise<string[]> {
    const { body } = await this.api.get(`/api/v1/namespaces/${NAMESPACE}/events`);
    return body.items.map(({ reason, message }: { reason: string; message: string }) => `${reason} ${message}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.api.server.close();
    assertEquals(this.api.world.clock.pendingTimers, 0, "no timer is left");
  }
}
