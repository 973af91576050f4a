/** A manager of a cluster beside an emulated Hetzner Cloud project: the vendor's, from its executable, or ours. */
import { type Clock, SystemClock } from "../../../src/base/mod.ts";
import { type Event, EVENTS, type Node, NODES, type Service, SERVICES } from "../../../src/api/mod.ts";
import type { Client } from "../../../src/client/mod.ts";
import type { ControlPlane } from "../../controlplane/control_plane.ts";
import { HurriedClock } from "../../controlplane/hurried_clock.ts";
import { EXECUTABLE, kubeloopCommand } from "../../controlplane/manager.ts";
import { ManagerInProcess } from "../../controlplane/manager_in_process.ts";
import { eventually, freePort, Process } from "../../controlplane/process.ts";
import { HcloudEmulator, type Seen } from "../../emulators/hcloud/emulator.ts";
import type { Outcome } from "./outcome.ts";
import type { Thing } from "../../emulators/hcloud/state.ts";

/**
 * Whose manager; the vendor's is there where `$KUBELOOP_HCLOUD_VENDOR` says its path. Ours runs as a program, or in this process, for
 * which time passes {@link HURRY} times as fast.
 */
export type Maker = "vendor" | "kubeloop" | "kubeloop in process";

const HURRY = 5;

/** Ours, as cheaply as can be. */
export const OURS: Maker = EXECUTABLE ? "kubeloop" : "kubeloop in process";

export const VENDOR = Deno.env.get("KUBELOOP_HCLOUD_VENDOR") ?? "";

/** How long an action of the emulator takes: longer than a request, so that managers have to ask again. */
const ACTION_MS = 300;
/** How long nobody asks for anything but servers and networks before all is said to be settled. */
const QUIET_MS = 2_000;
const PERIODIC = /^\/(servers|networks|locations)\b/;

const FLAGS = [
  "--cloud-provider=hcloud",
  "--allow-untagged-cloud",
  "--leader-elect=false",
  "--bind-address=127.0.0.1",
  "--cluster-cidr=10.244.0.0/16",
  "--allocate-node-cidrs=false",
  "--node-monitor-period=1s",
  "--route-reconciliation-period=2s",
  "--webhook-secure-port=0",
];

/** What a scenario begins with. */
export interface BedOptions {
  /** Variables of the environment besides those that are always set. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether there is a private network, in which the servers are. */
  readonly network?: boolean;
  /** More flags, which stand behind the others. */
  readonly flags?: readonly string[];
}

export class HcloudBed implements AsyncDisposable {
  readonly emulator: HcloudEmulator;
  readonly network: Thing | undefined;
  readonly #plane: ControlPlane;
  readonly #client: Client;
  readonly #options: BedOptions;
  readonly #http: Deno.HttpServer<Deno.NetAddr>;
  /** Names of Services by their UIDs. */
  readonly uids = new Map<string, string>();
  readonly #maker: Maker;
  /** The manager's time. */
  readonly #clock: Clock;
  #lastCallMs: number;
  #manager: Process | ManagerInProcess | undefined;

  /** @param options.maker Whose manager begins. */
  constructor(plane: ControlPlane, client: Client, options: BedOptions & { readonly maker: Maker }) {
    this.#plane = plane;
    this.#client = client;
    this.#options = options;
    this.#maker = options.maker;
    const clock = this.#clock = options.maker === "kubeloop in process" ? new HurriedClock(HURRY) : new SystemClock();
    this.#lastCallMs = clock.monotonicMs();
    this.emulator = new HcloudEmulator({
      nowMs: () => performance.timeOrigin + clock.monotonicMs(),
      actionMs: ACTION_MS,
    });
    if (options.network) {
      const subnets = [{ type: "cloud", ip_range: "10.0.0.0/16", network_zone: "eu-central", gateway: "10.0.0.1" }];
      this.network = this.emulator.project.addNetwork("cluster", { id: 50, subnets });
    }
    this.emulator.interfere = ({ path }) => {
      if (!PERIODIC.test(path)) this.#lastCallMs = clock.monotonicMs();
      return undefined;
    };
    this.#http = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, this.emulator.handle);
  }

  get project() {
    return this.emulator.project;
  }

  /** A server, in the network if there is one, and its Node as a kubelet registers it, with a range of pods in the order of IDs. */
  async machine(name: string, id: number, { node = {}, serverOnly = false }: MachineOptions = {}): Promise<Thing> {
    const server = this.project.addServer(name, { id });
    if (this.network) this.project.attach(server, this.network, `10.0.0.${id + 1}`);
    if (!serverOnly) await this.node(name, id, node);
    return server;
  }

  async node(name: string, id: number, { labels = {}, ready = true }: NodeOptions = {}): Promise<void> {
    const taints = [{ key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" }];
    await this.#client.create<Node>(NODES, {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels },
      spec: { podCIDR: `10.244.${id}.0/24`, podCIDRs: [`10.244.${id}.0/24`], taints },
      status: {
        conditions: [{ type: "Ready", status: ready ? "True" : "False", reason: "Test", message: "" }],
        addresses: [{ type: "Hostname", address: name }],
      },
    });
  }

  /** A Service of type LoadBalancer in namespace default, with the ports' numbers as they are written. */
  async service(name: string, annotations: Record<string, string> = {}, spec: Service["spec"] = {}): Promise<void> {
    const { metadata } = await this.#client.create<Service>(SERVICES, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { namespace: "default", name, annotations: withPrefix(annotations) },
      spec: { type: "LoadBalancer", selector: { app: name }, ports: [HTTP_PORT], ...spec },
    });
    this.uids.set(metadata!.uid!, name);
  }

  async patchService(name: string, patch: Thing): Promise<void> {
    await this.#client.patch<Service>(SERVICES, { namespace: "default", name }, { type: "merge", body: patch });
  }

  async patchNode(name: string, patch: Thing, subresource?: string): Promise<void> {
    await this.#client.patch<Node>(NODES, { name }, { type: "strategic", body: patch, subresource });
  }

  annotate(name: string, annotations: Record<string, string | null>): Promise<void> {
    return this.patchService(name, { metadata: { annotations: withPrefix(annotations) } });
  }

  async remove(resource: typeof NODES | typeof SERVICES, name: string): Promise<void> {
    await this.#client.delete(resource, { name, ...resource === SERVICES && { namespace: "default" } });
  }

  /** All but that of the API server. */
  services(): Promise<Service[]> {
    return this.#client.list<Service>(SERVICES, { namespace: "default" }).then(({ items }) =>
      items.filter(({ metadata }) => metadata?.name !== "kubernetes")
    );
  }

  nodes(): Promise<Node[]> {
    return this.#client.list<Node>(NODES).then(({ items }) => items);
  }

  /** All but what the API server says of its own Service. */
  events(): Promise<Event[]> {
    return this.#client.list<Event>(EVENTS).then(({ items }) =>
      items.filter(({ involvedObject }) => involvedObject.name !== "kubernetes")
    );
  }

  /** Puts what was recorded into the cluster and the cloud. */
  async restore(recorded: Outcome): Promise<void> {
    const { objects, resources } = concrete(recorded);
    let text = JSON.stringify(resources);
    for (const object of objects as Thing[]) {
      if (object.kind === "Node") await this.#restoreNode(object);
      else {
        const uid = await this.#restoreService(object);
        text = text.replaceAll(`UID-${object.name}`, uid)
          .replaceAll(`NAME-${object.name}`, `a${uid.replaceAll("-", "")}`.slice(0, 32));
      }
    }
    for (const { kind, ...resource } of JSON.parse(text) as Thing[]) {
      if (kind === "load_balancer") this.project.addBalancer(resource.name, resource);
      else if (kind === "network") Object.assign(this.network!, resource);
    }
  }

  async #restoreNode({ name, labels, spec, addresses, conditions }: Thing): Promise<void> {
    const id = Number(spec.providerID.split("/").at(-1));
    const server = this.project.addServer(name, { id });
    const ip = addresses.find(({ type }: Thing) => type === "InternalIP")?.address;
    if (this.network && ip) this.project.attach(server, this.network, ip);
    const metadata = { name, labels };
    const status = { addresses, conditions };
    await this.#client.create<Node>(NODES, { apiVersion: "v1", kind: "Node", metadata, spec, status });
  }

  async #restoreService({ name, annotations, finalizers, spec, status }: Thing): Promise<string> {
    const service = { metadata: { namespace: "default", name, annotations, finalizers }, spec };
    const made = await this.#client.create<Service>(SERVICES, { apiVersion: "v1", kind: "Service", ...service });
    this.uids.set(made.metadata!.uid!, name);
    await this.#client.updateStatus<Service>(SERVICES, { ...made, status });
    return made.metadata!.uid!;
  }

  /** Starts a manager; by default that which begins. */
  start(maker = this.#maker): void {
    const { kubeconfig } = this.#plane;
    const args = [
      ...FLAGS,
      `--kubeconfig=${kubeconfig}`,
      `--configure-cloud-routes=${this.network !== undefined}`,
      ...this.#options.flags ?? [],
    ];
    const env = {
      HCLOUD_ENDPOINT: `http://127.0.0.1:${this.#http.addr.port}/v1`,
      HCLOUD_TOKEN: this.emulator.token,
      HCLOUD_METRICS_ENABLED: "false",
      HCLOUD_LOAD_BALANCERS_LOCATION: "fsn1",
      HCLOUD_SERVER_CACHE_MAX_AGE: "1s",
      ...this.network && { HCLOUD_NETWORK: this.network.name, HCLOUD_NETWORK_DISABLE_ATTACHED_CHECK: "true" },
      ...this.#options.env,
    };
    this.#manager = maker === "kubeloop in process"
      ? new ManagerInProcess(args, { clock: this.#clock, env })
      : this.#spawn(maker, { args, env });
  }

  #spawn(
    maker: Maker,
    { args, env }: { readonly args: readonly string[]; readonly env: Record<string, string> },
  ): Process {
    const { kubeconfig } = this.#plane;
    const given = [
      ...args,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      `--secure-port=${freePort()}`,
    ];
    const ours = kubeloopCommand(["cloud-controller-manager", ...given]);
    const command = maker === "vendor" ? { program: VENDOR, args: given } : ours;
    return this.#plane.adopt(new Process(maker, command.program, { args: command.args, env }));
  }

  async stop(): Promise<void> {
    await this.#manager?.stop({ signal: "SIGKILL" });
  }

  /** Waits until `condition` holds; names what the manager said if it never does. */
  async until(
    what: string,
    condition: () => boolean | Promise<boolean>,
    { withinMs = 60_000 }: { readonly withinMs?: number } = {},
  ): Promise<void> {
    try {
      await eventually(what, () => {
        if (this.#manager?.exit !== undefined) throw new Error("the manager ended");
        return condition();
      }, { withinMs });
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${this.#manager?.output.slice(-4000)}`, { cause: error });
    }
  }

  /** Waits until no action is under way, and nobody has asked for anything but servers and networks for a while. */
  async quiet(forMs = QUIET_MS): Promise<void> {
    const isQuiet = () => this.project.pending.length === 0 && this.#clock.monotonicMs() - this.#lastCallMs > forMs;
    this.#lastCallMs = this.#clock.monotonicMs();
    await this.until("the cloud is left alone", isQuiet, { withinMs: 300_000 });
  }

  /** Waits until all nodes are initialised, and have routes if there is a network, and then for quiet. */
  async initialised(): Promise<void> {
    const isTaint = ({ key }: { key: string }) => key.endsWith("/uninitialized");
    await this.until(
      "nodes are initialised",
      async () =>
        (await this.nodes()).every(({ spec, status }) =>
          spec?.providerID && !spec.taints?.some(isTaint) &&
          (!this.network ||
            status?.conditions?.some(({ type, status }) => type === "NetworkUnavailable" && status === "False"))
        ),
    );
    await this.quiet(1_000);
  }

  /** Waits until Services have addresses, and then for quiet. */
  async balanced(): Promise<void> {
    await this.until(
      "Services have addresses",
      async () => (await this.services()).every(({ status }) => status?.loadBalancer?.ingress?.length),
    );
    await this.quiet();
  }

  /** Calls that are not made again and again. */
  get calls(): readonly Seen[] {
    return this.emulator.seen.filter(({ method, path }) => method !== "GET" || !PERIODIC.test(path));
  }

  /** Ends the manager, and removes all that the scenario made in the cluster. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.#http.shutdown();
    for (const { metadata } of await this.services()) {
      const name = metadata!.name!;
      await this.patchService(name, { metadata: { finalizers: null } });
      if (!metadata!.deletionTimestamp) await this.remove(SERVICES, name);
    }
    for (const { metadata } of await this.nodes()) await this.remove(NODES, metadata!.name!);
    await this.#client.deleteCollection(EVENTS, { namespace: "default" });
  }
}

/** With addresses and IDs instead of their names. */
function concrete({ objects, resources, ...rest }: Outcome): Outcome {
  const text = JSON.stringify({ objects, resources })
    .replaceAll(/IPV4-(\d+)/g, "203.0.113.20$1")
    .replaceAll(/IPV6-(\d+)/g, "2001:db8:ffff::2$1")
    .replaceAll(/PTR([46])-(\d+)/g, "static$1.$2.example")
    .replaceAll(/PRIVATE-(\d+)/g, "10.0.255.20$1")
    .replaceAll(/"load_balancers":\[(\d)\]/g, '"load_balancers":[90$1]')
    .replaceAll(/"kind":"load_balancer","id":(\d),/g, '"kind":"load_balancer","id":90$1,');
  return { ...rest, ...JSON.parse(text) };
}

export interface NodeOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly ready?: boolean;
}

export interface MachineOptions {
  readonly node?: NodeOptions;
  /** Whether it has no Node. */
  readonly serverOnly?: boolean;
}

export const HTTP_PORT = { name: "http", protocol: "TCP", port: 80, nodePort: 30080 };

function withPrefix<V>(annotations: Readonly<Record<string, V>>): Record<string, V> {
  return Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [`load-balancer.hetzner.cloud/${key}`, value]),
  );
}
