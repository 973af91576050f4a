/** Services in an API server that answers at once, and a controller that does as the real one. */
import type { ObjectReference, Service } from "../../../../src/api/mod.ts";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { TransportClientBuilder } from "../../../../src/client/mod.ts";
import type { CloudProvider } from "../../../../src/cloud/mod.ts";
import { IPPOOL_PROVIDER } from "../../../../src/cloud/ippool/mod.ts";
import { cloudSetup } from "../setup.ts";

export function poolsText(pools: string, rest = ""): string {
  return `apiVersion: kubeloop.dev/v1alpha1\nkind: IpPoolProviderConfiguration\npools: ${pools}\n${rest}`;
}

export interface ServiceOptions {
  readonly namespace?: string;
  readonly families?: readonly string[];
  readonly policy?: string;
  readonly ports?: readonly number[];
  readonly annotations?: Record<string, string>;
  readonly labels?: Record<string, string>;
  readonly loadBalancerIP?: string;
  readonly created?: string;
  /** What its status shows. */
  readonly ips?: readonly string[];
}

export function service(name: string, options: ServiceOptions = {}): Service {
  const { namespace = "default", families = ["IPv4"], policy = "SingleStack", ports = [80], ips = [] } = options;
  const { annotations, labels, loadBalancerIP, created = "2026-01-01T00:00:00Z" } = options;
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace, name, uid: `uid-${namespace}-${name}`, annotations, labels, creationTimestamp: created },
    spec: {
      type: "LoadBalancer",
      ipFamilies: [...families],
      ipFamilyPolicy: policy,
      loadBalancerIP,
      ports: ports.map((port) => ({ port, protocol: "TCP" })),
    },
    status: { loadBalancer: ips.length === 0 ? {} : { ingress: ips.map((ip) => ({ ip, ipMode: "VIP" })) } },
  };
}

export interface ToldEvent {
  readonly name?: string;
  readonly reason: string;
  readonly message: string;
}

/** What survives the processes. */
export class Cluster {
  /** By namespace and name. */
  readonly services = new Map<string, Service>();
  readonly events: ToldEvent[] = [];
  requests = 0;
  /** What requests fail with. */
  status = 200;

  put(...services: readonly Service[]): void {
    for (const each of services) {
      this.services.set(`${each.metadata!.namespace}/${each.metadata!.name}`, structuredClone(each));
    }
  }

  // deno-lint-ignore require-await
  readonly transport = async (request: Request): Promise<Response> => {
    this.requests++;
    if (this.status !== 200) return new Response("down", { status: this.status });
    const [, namespace, name] = /\/namespaces\/([^/]+)\/services\/([^/?]+)/.exec(request.url) ?? [];
    if (namespace === undefined) {
      const list = { kind: "ServiceList", apiVersion: "v1", metadata: { resourceVersion: "1" } };
      return Response.json({ ...list, items: [...this.services.values()] });
    }
    const found = this.services.get(`${namespace}/${name}`);
    if (found) return Response.json(found);
    const failure = {
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      reason: "NotFound",
      code: 404,
      message: "gone",
    };
    return Response.json(failure, { status: 404 });
  };
}

/** A process that leads, with a provider of its own. */
export class Leader implements AsyncDisposable {
  readonly world: FakeWorld;
  readonly cluster: Cluster;
  readonly config: ReturnType<typeof cloudSetup>["config"];
  readonly provider: CloudProvider;
  readonly #stop = new AbortController();

  private constructor(parts: Pick<Leader, "world" | "cluster" | "config" | "provider">) {
    this.world = parts.world;
    this.cluster = parts.cluster;
    this.config = parts.config;
    this.provider = parts.provider;
  }

  static async start(cluster: Cluster, text: string): Promise<Leader> {
    const leader = await Leader.open(cluster, text);
    await leader.initialize();
    return leader;
  }

  /** As {@link start}, but for reading what Services have. */
  static async open(cluster: Cluster, text: string): Promise<Leader> {
    const world = new FakeWorld();
    const setup = cloudSetup(text, { world });
    return new Leader({ world, cluster, config: setup.config, provider: await IPPOOL_PROVIDER.open(setup) });
  }

  async initialize(): Promise<void> {
    const { world, cluster: { transport, events } } = this;
    await this.provider.initialize!({
      clients: new TransportClientBuilder({
        world,
        transport,
        server: "https://cluster.test",
        program: "test",
        qps: -1,
      }),
      recorder: () => ({
        event: (object, _type, reason, message) =>
          void events.push({ name: (object as ObjectReference).name, reason, message }),
      }),
      signal: this.#stop.signal,
    });
  }

  /** @returns The addresses that the provider gives. */
  async ensure(wanted: Service): Promise<string[]> {
    const status = await this.provider.loadBalancers!.ensureLoadBalancer("kubernetes", wanted, [], this.#stop.signal);
    return (status.ingress ?? []).map(({ ip = "" }) => ip);
  }

  /** Ensures, and writes the status. */
  async settle(wanted: Service): Promise<string[]> {
    const ips = await this.ensure(wanted);
    this.cluster.put({ ...wanted, status: { loadBalancer: { ingress: ips.map((ip) => ({ ip })) } } });
    return ips;
  }

  async delete(gone: Service): Promise<void> {
    await this.provider.loadBalancers!.ensureLoadBalancerDeleted("kubernetes", gone, this.#stop.signal);
  }

  /** Lets addresses that no status shows become free. */
  async pass(ms = 3000): Promise<void> {
    await this.world.clock.advance(ms);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the process ends"));
    await this.world.clock.advance(1);
  }
}
