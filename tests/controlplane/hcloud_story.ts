/**
 * A story of a cluster on Hetzner Cloud, told to a cloud-controller-manager step by step: servers become Nodes, Services get load
 * balancers that change, routes come and go. After each step it is written down what the manager did to the cloud, and what is in the
 * cloud and the cluster then. The vendor's manager was told it once; what it did lies beside this file.
 */
import type { Node, Service } from "../../src/api/mod.ts";
import { HcloudEmulator } from "../emulators/hcloud/emulator.ts";
import type { Thing } from "../emulators/hcloud/state.ts";
import { ControlPlane } from "./control_plane.ts";
import { freePort, Process } from "./process.ts";
import { kubeloopCommand } from "./manager.ts";

/** What is known after a step. */
export interface StepRecord {
  readonly step: string;
  /** Requests that changed the cloud, in order. */
  readonly writes: readonly string[];
  /** All requests, but for those that ask after an action. */
  readonly requests: number;
  readonly cloud: unknown;
  readonly cluster: unknown;
}

/** When nothing has changed for so long, a step is over. */
const QUIET_MS = 7000;
const LIMIT_MS = 90_000;
const TAINT = "node.cloudprovider.kubernetes.io/uninitialized";
const LABELS = /^(topology|node|instance|beta)\./;

const FLAGS = [
  "--cloud-provider=hcloud",
  "--allow-untagged-cloud",
  "--leader-elect=false",
  "--allocate-node-cidrs=true",
  "--cluster-cidr=10.244.0.0/16",
  "--route-reconciliation-period=5s",
  "--node-monitor-period=2s",
  "--concurrent-service-syncs=1",
  "--webhook-secure-port=0",
];

/** A manager, and the emulator and cluster it runs on. */
export class Story implements AsyncDisposable {
  readonly emulator = new HcloudEmulator({ nowMs: () => Date.now(), actionMs: 50 });
  readonly network: Thing;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #plane: ControlPlane;
  #manager: Process | undefined;

  private constructor(plane: ControlPlane) {
    this.#plane = plane;
    this.network = this.emulator.project.addNetwork("cluster");
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, this.emulator.handle);
  }

  static async begin(): Promise<Story> {
    return new Story(await ControlPlane.start());
  }

  /** @param vendor The vendor's executable; ours if absent. */
  start(vendor?: string): void {
    const args = [
      `--kubeconfig=${this.#plane.kubeconfig}`,
      `--secure-port=${freePort()}`,
      "--bind-address=127.0.0.1",
      ...FLAGS,
    ];
    const command = vendor ? { program: vendor, args } : kubeloopCommand(["cloud-controller-manager", ...args]);
    const env = {
      HCLOUD_TOKEN: this.emulator.token,
      HCLOUD_ENDPOINT: `http://127.0.0.1:${this.#server.addr.port}/v1`,
      HCLOUD_NETWORK: "cluster",
      HCLOUD_NETWORK_DISABLE_ATTACHED_CHECK: "true",
      HCLOUD_LOAD_BALANCERS_LOCATION: "fsn1",
      HCLOUD_METRICS_ENABLED: "false",
    };
    this.#manager = this.#plane.adopt(new Process("manager", command.program, { args: command.args, env }));
  }

  async stop(): Promise<void> {
    await this.#manager?.stop({ signal: "SIGKILL" });
  }

  /** What the manager printed. */
  get output(): string {
    return this.#manager?.output ?? "";
  }

  /** Tells all of it. */
  async tell(say: (step: string) => void = () => {}): Promise<StepRecord[]> {
    const records: StepRecord[] = [];
    for (const [step, act] of Object.entries(STEPS)) {
      say(step);
      const before = this.emulator.seen.length;
      await act(this);
      await this.#quiet();
      if (this.#manager?.exit) throw new Error(`the manager ended: ${this.output.slice(-3000)}`);
      const seen = this.emulator.seen.slice(before).filter(({ path }) => !path.startsWith("/actions"));
      const writes = seen.filter(({ method }) => method !== "GET")
        .map(({ method, path }) => `${method} ${path.replace(/\/\d+/g, "").replace("/actions", "")}`);
      records.push({ step, writes, requests: seen.length, cloud: this.cloud(), cluster: await this.#cluster() });
    }
    return records;
  }

  async #quiet(): Promise<void> {
    const endMs = Date.now() + LIMIT_MS;
    let last = "";
    let sinceMs = Date.now();
    while (Date.now() < endMs && Date.now() - sinceMs < QUIET_MS) {
      const now = JSON.stringify([this.cloud(), await this.#cluster(), this.emulator.writes.length]);
      if (now !== last) sinceMs = Date.now();
      last = now;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  /** What is in the project, without what two runs need not have in common. */
  cloud(): unknown {
    const { project } = this.emulator;
    const names = new Map([...project.servers.values()].map(({ id, name }) => [id, name]));
    const balancers = [...project.balancers.values()].map((
      { id: _, public_net: net, targets, services, ...balancer },
    ) => ({
      name: balancer.name,
      labels: balancer.labels,
      type: balancer.load_balancer_type.name,
      algorithm: balancer.algorithm.type,
      isPublic: net.enabled,
      rdns: net.ipv4.dns_ptr.replace(/\d+/, "ID"),
      networks: balancer.private_net.length,
      services: services.toSorted((a: Thing, b: Thing) => a.listen_port - b.listen_port),
      targets: targets.map(({ server, use_private_ip }: Thing) => [names.get(server?.id), use_private_ip]).sort(),
    }));
    const routes = this.network.routes.map(({ destination, gateway }: Thing) => `${destination} ${gateway}`).sort();
    const certificates = [...project.certificates.values()].map(({ id: _, ...certificate }) => certificate);
    return JSON.parse(this.#anonymous(JSON.stringify({ balancers, routes, certificates })));
  }

  async #cluster(): Promise<unknown> {
    const { items: nodes } = JSON.parse((await this.#plane.ask("/api/v1/nodes"))!) as { items: Node[] };
    const { items: services } = JSON.parse((await this.#plane.ask("/api/v1/services"))!) as { items: Service[] };
    const state = {
      nodes: nodes.map(({ metadata, spec, status }) => ({
        name: metadata?.name,
        providerID: spec?.providerID,
        taints: spec?.taints?.map(({ key, effect }) => `${key}:${effect}`).sort() ?? [],
        labels: Object.entries(metadata?.labels ?? {}).filter(([key]) => LABELS.test(key)).map((entry) =>
          entry.join("=")
        ).sort(),
        addresses: status?.addresses?.map(({ type, address }) => `${type}=${address}`).sort(),
        hasRoute: status?.conditions?.find(({ type }) => type === "NetworkUnavailable")?.status,
      })),
      services: services.filter(({ spec }) => spec?.type === "LoadBalancer" || spec?.selector?.app === "web").map((
        service,
      ) => ({
        name: service.metadata?.name,
        finalizers: service.metadata?.finalizers ?? [],
        status: service.status?.loadBalancer ?? {},
      })),
    };
    return JSON.parse(this.#anonymous(JSON.stringify(state)));
  }

  /** Addresses of balancers, and UIDs and node ports of Services, without what differs from run to run. */
  #anonymous(text: string): string {
    return text.replace(/203\.0\.113\.\d+/g, "IPV4").replace(/2001:db8:ffff::[\da-f]+/g, "IPV6")
      .replace(/10\.0\.255\.\d+/g, "PRIVATE").replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, "UID")
      .replace(/"certificates":\[\d+\]/g, '"certificates":["ID"]');
  }

  async addNode(name: string, i: number): Promise<void> {
    const server = this.emulator.project.addServer(name, { id: 1000 + i });
    this.emulator.project.attach(server, this.network, `10.0.0.${i + 1}`);
    await this.#plane.apply({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels: { "kubernetes.io/hostname": name } },
      spec: {
        podCIDR: `10.244.${i}.0/24`,
        podCIDRs: [`10.244.${i}.0/24`],
        taints: [{ key: TAINT, value: "true", effect: "NoSchedule" }],
      },
    });
    await this.setReady(name, "True");
  }

  async setReady(name: string, status: string): Promise<void> {
    const conditions = [{ type: "Ready", status, reason: "Story", message: "" }];
    await this.#patch(["node", name, "--subresource=status"], { status: { conditions } });
  }

  async service(name: string, annotations: Record<string, string | null>, spec: object = {}): Promise<void> {
    const prefixed = Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [`load-balancer.hetzner.cloud/${key}`, value]),
    );
    if (await this.#plane.ask(`/api/v1/namespaces/default/services/${name}`)) {
      return await this.#patch(["service", name], { metadata: { annotations: prefixed }, spec });
    }
    await this.#plane.apply({
      apiVersion: "v1",
      kind: "Service",
      metadata: { namespace: "default", name, annotations: prefixed },
      spec: { type: "LoadBalancer", selector: { app: "web" }, ports: [port(80, 30080)], ...spec },
    });
  }

  async #patch(what: readonly string[], patch: object): Promise<void> {
    const [kind, name, ...more] = what;
    await this.#plane.kubectl(["patch", kind, name, ...more, "--type=merge", "-p", JSON.stringify(patch)]);
  }

  async remove(kind: string, name: string): Promise<void> {
    await this.#plane.kubectl(["delete", kind, name, "--wait=false"]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#plane[Symbol.asyncDispose]();
    await this.#server.shutdown();
  }
}

function port(port: number, nodePort: number, protocol = "TCP") {
  return { name: `${protocol}-${port}`.toLowerCase(), port, nodePort, protocol };
}

const balancerOf = (story: Story, name: string) =>
  [...story.emulator.project.balancers.values()].find((balancer) => balancer.name === name)!;

/** What happens, in order. */
const STEPS: Readonly<Record<string, (story: Story) => Promise<void> | void>> = {
  "two servers join": async (story) => {
    await story.addNode("node-1", 1);
    await story.addNode("node-2", 2);
  },
  "a Service wants a balancer": (story) => story.service("web", { name: "web" }),
  "another wants one over the network, with the proxy protocol": (story) =>
    story.service("inside", {
      "name": "inside",
      "use-private-ip": "true",
      "disable-public-network": "true",
      "uses-proxyprotocol": "true",
      "health-check-interval": "7s",
    }, { ports: [port(80, 30081), port(443, 30443)] }),
  "ports change": (story) => story.service("web", {}, { ports: [port(80, 30080), port(8080, 30082)] }),
  "annotations change": (story) =>
    story.service("web", { "algorithm-type": "least_connections", "type": "lb21", "ipv4-rdns": "web.example.com" }),
  "it is renamed, and shows a hostname": (story) =>
    story.service("web", { name: "front", hostname: "www.example.com" }),
  "a Service has UDP ports, too": (story) =>
    story.service("web", {}, { ports: [port(80, 30080), port(53, 30053, "UDP")] }),
  "a third server joins": (story) => story.addNode("node-3", 3),
  "a managed certificate is wanted": (story) =>
    story.service("inside", {
      "protocol": "https",
      "certificate-type": "managed",
      "http-managed-certificate-domains": "example.com",
    }, { ports: [port(443, 30443)] }),
  "a balancer made by hand is taken over": (story) => {
    story.emulator.project.addBalancer("by-hand", { labels: { team: "web" } });
    return story.service("adopter", { name: "by-hand" }, { ports: [port(81, 30090)] });
  },
  "a server is shut down": async (story) => {
    story.emulator.project.servers.get(1002)!.status = "off";
    await story.setReady("node-2", "Unknown");
  },
  "it comes back": async (story) => {
    story.emulator.project.servers.get(1002)!.status = "running";
    await story.setReady("node-2", "True");
  },
  "a server is deleted": async (story) => {
    story.emulator.project.servers.delete(1003);
    story.network.servers = story.network.servers.filter((id: number) => id !== 1003);
    for (const balancer of story.emulator.project.balancers.values()) {
      balancer.targets = balancer.targets.filter(({ server }: Thing) => server?.id !== 1003);
    }
    await story.setReady("node-3", "Unknown");
  },
  "a Service is deleted": (story) => story.remove("service", "inside"),
  "a protected one is kept": async (story) => {
    balancerOf(story, "by-hand").protection.delete = true;
    await story.remove("service", "adopter");
  },
  "a Service becomes one of the cluster only": (story) => story.service("web", {}, { type: "ClusterIP" }),
};
