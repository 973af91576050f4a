/** cloud-controller-manager with the provider `ippool` on a real API server, and what is seen of the addresses that it gives. */
import { TextLineStream } from "@std/streams/text-line-stream";
import { type Service, SERVICES, type ServiceSpec } from "../../src/api/mod.ts";
import type { Client } from "../../src/client/mod.ts";
import { type Manager, startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import type { Kit } from "../scenarios/kit.ts";
import type { Cluster } from "./cluster.ts";

const KIND = { apiVersion: "kubeloop.dev/v1alpha1", kind: "IpPoolProviderConfiguration" };
/** Leases are short, so that the next leader is there soon. */
const FLAGS = [
  "--cloud-provider=ippool",
  "--configure-cloud-routes=false",
  "--concurrent-service-syncs=8",
  "--leader-elect-lease-duration=8s",
  "--leader-elect-renew-deadline=7s",
  "--leader-elect-retry-period=500ms",
];

/** What the configuration says, but for its kind. */
export interface PoolsDocument {
  readonly pools: readonly Readonly<Record<string, unknown>>[];
  readonly nodes?: readonly Readonly<Record<string, unknown>>[];
}

export class PoolManagers {
  readonly #cluster: Cluster;
  readonly #config: string;

  private constructor(cluster: Cluster, config: string) {
    this.#cluster = cluster;
    this.#config = config;
  }

  static async of(cluster: Cluster, document: PoolsDocument): Promise<PoolManagers> {
    const made = new PoolManagers(cluster, `${cluster.plane.folder}/pools.json`);
    await made.configure(document);
    return made;
  }

  /** Replaces the configuration, as an editor does. */
  async configure(document: PoolsDocument): Promise<void> {
    const next = `${this.#config}.next`;
    await Deno.writeTextFile(next, JSON.stringify({ ...KIND, ...document }));
    await Deno.rename(next, this.#config);
  }

  start(waitForLease = true): Promise<Manager> {
    const flags = [...FLAGS, `--cloud-config=${this.#config}`];
    return startManager(this.#cluster.plane, "kubeloop", {
      component: "cloud-controller-manager",
      flags,
      waitForLease,
    });
  }
}

export interface Balanced {
  readonly spec?: Partial<ServiceSpec>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export async function addBalanced(kit: Kit, name: string, { spec, labels, annotations }: Balanced = {}): Promise<void> {
  await kit.create<Service>(SERVICES, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, labels: { ...labels }, annotations: { ...annotations } },
    spec: { type: "LoadBalancer", selector: { app: name }, ports: [{ port: 80 }], ...spec },
  });
}

export function addressesOf({ status }: Service): string[] {
  return (status?.loadBalancer?.ingress ?? []).map(({ ip = "", ipMode }) =>
    `${ip}${ipMode === "VIP" ? "" : " no VIP"}`
  );
}

/** Waits until the Service has addresses, and gives them. */
export async function untilGiven(kit: Kit, name: string): Promise<string[]> {
  return addressesOf(await kit.until(SERVICES, name, "has addresses", (each) => addressesOf(each).length > 0));
}

/** Follows, event by event, which Services show which addresses. */
export class ShownAddresses implements AsyncDisposable {
  /** What two Services showed at once. */
  readonly twice: string[] = [];
  readonly #shown = new Map<string, readonly string[]>();
  readonly #stop = new AbortController();
  #version = 0;
  #following: Promise<void> = Promise.resolve();

  static async follow(client: Client): Promise<ShownAddresses> {
    const made = new ShownAddresses();
    const { metadata } = await client.list(SERVICES);
    const query = { watch: true, resourceVersion: metadata?.resourceVersion };
    const stream = await client.open(SERVICES, query, { signal: made.#stop.signal });
    made.#following = made.#read(stream).catch((error) => {
      if (!made.#stop.signal.aborted) made.twice.push(`it is not followed any more: ${error}`);
    });
    return made;
  }

  async #read(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    for await (const line of stream.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream())) {
      const { type, object } = JSON.parse(String(line)) as { readonly type: string; readonly object: Service };
      const name = `${object.metadata?.namespace}/${object.metadata?.name}`;
      if (type === "DELETED") this.#shown.delete(name);
      else this.#shown.set(name, addressesOf(object));
      this.#version = Number(object.metadata?.resourceVersion);
      const all = [...this.#shown.values()].flat();
      if (new Set(all).size < all.length) this.twice.push(`${name} ${type}: ${JSON.stringify([...this.#shown])}`);
    }
  }

  /** Waits until it has seen this version of a Service. */
  async seen({ metadata }: Service): Promise<void> {
    await eventually("events are seen", () => this.#version >= Number(metadata?.resourceVersion));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#following;
  }
}
