/** The provider on the emulator, under a clock that a test moves. */
import type { Node, Service } from "../../../../src/api/mod.ts";
import { FakeWorld, MetricsRegistry } from "../../../../src/base/mod.ts";
import type { CloudProvider, CloudSetup, CloudStart, SendRequest } from "../../../../src/cloud/mod.ts";
import { HCLOUD } from "../../../../src/cloud/hcloud/mod.ts";
import { type EmulatorOptions, HcloudEmulator } from "../../../emulators/hcloud/emulator.ts";
import type { Thing } from "../../../emulators/hcloud/state.ts";

export interface BenchOptions extends Omit<EmulatorOptions, "nowMs"> {
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Record<string, string>;
  readonly clusterCidrs?: readonly string[];
  /** Stands between the provider and the emulator. */
  readonly send?: (emulator: HcloudEmulator) => SendRequest;
}

/** An event that was told of: reason and name of the object. */
export type Told = readonly [reason: string, name: string];

export class Bench {
  readonly world: FakeWorld;
  readonly emulator: HcloudEmulator;
  readonly events: Told[] = [];
  readonly signal = new AbortController().signal;
  /** Answers what the API server lists as Nodes. */
  nodes: Node[] = [];
  readonly #options: BenchOptions;

  constructor(options: BenchOptions = {}) {
    this.#options = options;
    this.world = new FakeWorld({ files: options.files ?? {} });
    this.emulator = new HcloudEmulator({ ...options, nowMs: () => this.world.clock.wallMs() });
  }

  /** What the provider is made with. */
  get setup(): CloudSetup {
    const { env = {}, clusterCidrs = ["10.244.0.0/16"], send } = this.#options;
    const all: Record<string, string> = {
      ...!("HCLOUD_TOKEN_FILE" in env) && { HCLOUD_TOKEN: "t".repeat(64) },
      HCLOUD_LOAD_BALANCERS_LOCATION: "fsn1",
      HCLOUD_LOAD_BALANCERS_TYPE: "lb11",
      HCLOUD_NETWORK_DISABLE_ATTACHED_CHECK: "true",
      ...env,
    };
    return {
      world: this.world,
      metrics: new MetricsRegistry(),
      config: { path: "", text: "", onChange: () => ({ [Symbol.dispose]() {} }) },
      clusterName: "kubernetes",
      clusterCidrs,
      env: (name) => all[name],
      connect: () => send?.(this.emulator) ?? this.emulator.handle,
    };
  }

  /** Opens a provider, as a process that starts does. */
  async open(): Promise<CloudProvider> {
    const provider = await this.run(HCLOUD.open(this.setup));
    await provider.initialize?.({
      clients: { client: () => ({ list: () => Promise.resolve({ items: this.nodes, metadata: {} }) }) },
      recorder: () => ({
        event: (object: Thing, _type: string, reason: string) =>
          void this.events.push([reason, object.metadata?.name ?? object.name]),
      }),
      signal: this.signal,
    } as unknown as CloudStart);
    return provider;
  }

  /** Moves the clock until `work` is done. */
  async run<T>(work: Promise<T>, { limitMs = 3_600_000, stepMs = 250 } = {}): Promise<T> {
    let isDone = false;
    const settled = work.then((value) => ({ value }), (error: unknown) => ({ error })).finally(() => isDone = true);
    for (let passedMs = 0; !isDone && passedMs <= limitMs; passedMs += stepMs) {
      await this.world.clock.advance(stepMs);
    }
    if (!isDone) throw new Error(`nothing came of it within ${limitMs} ms`);
    const outcome = await settled;
    if ("error" in outcome) throw outcome.error;
    return outcome.value;
  }

  /** What `work` asked of the API: `GET /servers`. */
  async calls(work: () => Promise<unknown>): Promise<string[]> {
    const before = this.emulator.seen.length;
    await this.run(work());
    return this.emulator.seen.slice(before).map(({ method, path }) => `${method} ${path}`);
  }

  /** What `work` wrote: `POST add_service`. */
  async writes(work: () => Promise<unknown>): Promise<string[]> {
    const calls = await this.calls(work);
    return calls.filter((call) => !call.startsWith("GET")).map((call) => call.replace(/\/.*\/actions\//, ""));
  }
}

export function nodeOf(server: Thing, labels: Record<string, string> = {}): Node {
  const addresses = server.private_net.map(({ ip }: Thing) => ({ type: "InternalIP", address: ip }));
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: server.name, uid: `uid-${server.name}`, labels },
    spec: { providerID: `hcloud://${server.id}` },
    status: { addresses },
  };
}

export function serviceOf(
  annotations: Readonly<Record<string, string>> = {},
  { name = "web", ports = [{ port: 80, nodePort: 30080, protocol: "TCP" }] } = {},
): Service {
  const prefixed = Object.entries(annotations).map(([key, value]) => [`load-balancer.hetzner.cloud/${key}`, value]);
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      namespace: "default",
      name,
      uid: `5f0c0000-0000-0000-0000-${name}`,
      annotations: Object.fromEntries(prefixed),
    },
    spec: { type: "LoadBalancer", ports },
  };
}
