import { Client } from "../../../../src/client/mod.ts";
import { METRICS_SERVICE, MetricsApi, metricsApiServices, NodeSimulator } from "../../../../src/sandbox/mod.ts";
import { InformerFactory } from "../../../../src/cache/mod.ts";
import { type Answer, Harness, PODS, type SendOptions } from "../apiserver/harness.ts";

/** A server with simulated nodes and the metrics of what runs on them. */
export class MetricsRig implements AsyncDisposable {
  readonly api: Harness = new Harness();
  readonly metrics: MetricsApi;
  readonly simulator: NodeSimulator;
  readonly client: Client;
  readonly #informers: InformerFactory;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  private constructor() {
    const { world, server } = this.api;
    this.client = new Client({ world, transport: server.fetch, server: "http://server", userAgent: "metrics/1" });
    this.#informers = new InformerFactory({ world, client: this.client, name: "rig" });
    const shared = { world, client: this.client, informers: this.#informers };
    this.metrics = new MetricsApi(shared);
    server.addService({ ...METRICS_SERVICE, fetch: this.metrics.fetch, apiServices: metricsApiServices() });
    this.simulator = new NodeSimulator({ ...shared, nodeCount: 2 });
    this.#running = this.simulator.run(this.#stop.signal);
  }

  static async start(): Promise<MetricsRig> {
    const rig = new MetricsRig();
    await rig.api.account("default");
    await rig.advance(0);
    return rig;
  }

  /** A pod with these containers, on the first node unless it is said otherwise. */
  async pod(
    name: string,
    { annotations, labels, containers = ["main"], ...spec }: {
      readonly annotations?: Readonly<Record<string, string>>;
      readonly labels?: Readonly<Record<string, string>>;
      readonly containers?: readonly string[];
      readonly nodeName?: string;
    } = {},
  ): Promise<void> {
    const { status, body } = await this.api.post(PODS, {
      metadata: { name, annotations, labels },
      spec: { nodeName: "node-0", containers: containers.map((each) => ({ name: each, image: "nginx:1" })), ...spec },
    });
    if (status !== 201) throw new Error(JSON.stringify(body));
    await this.advance(0);
  }

  async advance(ms: number): Promise<void> {
    await this.api.world.clock.advance(ms);
  }

  get(path: string, options?: SendOptions): Promise<Answer> {
    return this.api.get(`/apis/${path}`, options);
  }

  /** What every pod uses: `a/main cpu=1m memory=16Mi`. */
  async usage(query = ""): Promise<string[]> {
    const { body } = await this.get(`metrics.k8s.io/v1beta1/namespaces/default/pods${query}`);
    return body.items.flatMap(({ metadata, containers }: Item) =>
      containers.map(({ name, usage }) => `${metadata.name}/${name} ${text(usage)}`)
    );
  }

  async nodeUsage(): Promise<string[]> {
    const { body } = await this.get("metrics.k8s.io/v1beta1/nodes");
    return body.items.map(({ metadata, usage }: Item) => `${metadata.name} ${text(usage)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.advance(0);
    await this.#running;
    await this.#informers.shutdown();
    this.api[Symbol.dispose]();
  }
}

type Usage = Readonly<Record<string, string>>;

interface Item {
  readonly metadata: { readonly name: string };
  readonly containers: readonly { readonly name: string; readonly usage: Usage }[];
  readonly usage: Usage;
}

function text(usage: Usage): string {
  return Object.entries(usage).map(([name, amount]) => `${name}=${amount}`).join(" ");
}
