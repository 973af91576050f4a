/** What happens to nodes, Services and routes on Hetzner Cloud; the same for both managers. */
import { NODES, SERVICES } from "../../../src/api/mod.ts";
import { type BedOptions, type HcloudBed, HTTP_PORT } from "./bed.ts";

export interface HcloudScenario extends BedOptions {
  readonly name: string;
  /** What is there before the manager starts. */
  readonly before?: (bed: HcloudBed) => void | Promise<void>;
  /** The Services that are made once nodes are initialised. */
  readonly services?: (bed: HcloudBed) => Promise<void>;
  /** What happens once all has settled. */
  readonly then?: (bed: HcloudBed) => Promise<void>;
}

const HTTPS_PORT = { name: "https", protocol: "TCP", port: 443, nodePort: 30443 };
const DNS_PORT = { name: "dns", protocol: "UDP", port: 53, nodePort: 30053 };
const SHUTDOWN = "node.cloudprovider.kubernetes.io/shutdown";

async function two(bed: HcloudBed): Promise<void> {
  await bed.machine("node-1", 1);
  await bed.machine("node-2", 2);
}

/** Two nodes, then a Service. */
function twoAndService(annotations: Record<string, string> = {}): Pick<HcloudScenario, "before" | "services"> {
  return { before: two, services: (bed) => bed.service("web", annotations) };
}

function annotated(name: string, annotations: Record<string, string>, options: BedOptions = {}): HcloudScenario {
  return { name, ...twoAndService(annotations), ...options };
}

export const HCLOUD_SCENARIOS: readonly HcloudScenario[] = [
  { name: "nodes are initialised", before: two },
  { name: "nodes are initialised with the addresses of a private network and get routes", network: true, before: two },
  {
    name: "nodes have addresses of both families",
    env: { HCLOUD_INSTANCES_ADDRESS_FAMILY: "dualstack" },
    before: two,
  },
  {
    name: "a server is shut down",
    before: two,
    then: async (bed) => {
      await bed.patchNode("node-1", { status: { conditions: [{ type: "Ready", status: "Unknown" }] } }, "status");
      bed.project.servers.get(1)!.status = "off";
      await bed.until(
        "node-1 is tainted",
        async () => (await bed.nodes()).some(({ spec }) => spec?.taints?.some(({ key }) => key === SHUTDOWN)),
      );
    },
  },
  {
    name: "a server is gone",
    before: two,
    then: async (bed) => {
      await bed.patchNode("node-1", { status: { conditions: [{ type: "Ready", status: "Unknown" }] } }, "status");
      bed.project.servers.delete(1);
      await bed.until("node-1 is gone", async () => (await bed.nodes()).length === 1);
    },
  },
  { name: "a Service gets a balancer", ...twoAndService() },
  {
    name: "ports of a Service change",
    ...twoAndService(),
    then: async (bed) => {
      await bed.patchService("web", { spec: { ports: [{ ...HTTP_PORT, nodePort: 30081 }, HTTPS_PORT] } });
      await bed.until("443 is served", () => [...bed.project.balancers.values()][0].services.length === 2);
      await bed.quiet();
      await bed.patchService("web", { spec: { ports: [HTTPS_PORT] } });
      await bed.until("80 is not", () => [...bed.project.balancers.values()][0].services.length === 1);
    },
  },
  annotated("a balancer's location, type, algorithm and name are chosen", {
    location: "fsn1",
    type: "lb21",
    "algorithm-type": "least_connections",
    name: "front",
  }),
  annotated("a balancer's health checks are chosen", {
    "health-check-protocol": "http",
    "health-check-port": "30090",
    "health-check-interval": "5s",
    "health-check-timeout": "3s",
    "health-check-retries": "5",
    "health-check-http-path": "/healthz",
    "http-status-codes": "200,204",
  }),
  annotated("a balancer speaks the proxy protocol", { "uses-proxyprotocol": "true" }),
  annotated("a balancer speaks HTTP with sticky sessions", {
    protocol: "http",
    "http-sticky-sessions": "true",
    "http-cookie-name": "here",
    "http-cookie-lifetime": "600s",
  }),
  annotated("a balancer has a hostname", { hostname: "web.example.com" }),
  annotated("a balancer has no IPv6", { "ipv6-disabled": "true" }),
  annotated("a balancer reaches private addresses", { "use-private-ip": "true" }, { network: true }),
  annotated("a balancer is in the private network alone", {
    "use-private-ip": "true",
    "disable-public-network": "true",
  }, { network: true }),
  annotated("a balancer leads to selected nodes", { "node-selector": "kubernetes.io/hostname in (node-1)" }),
  {
    name: "annotations change",
    ...twoAndService(),
    then: async (bed) => {
      await bed.annotate("web", { type: "lb21", "algorithm-type": "least_connections", "uses-proxyprotocol": "true" });
      await bed.until("it is so", () => {
        const [{ algorithm, load_balancer_type, services }] = [...bed.project.balancers.values()];
        return algorithm.type === "least_connections" && load_balancer_type.name === "lb21" &&
          services[0].proxyprotocol;
      });
    },
  },
  {
    name: "nodes come and go under a balancer",
    ...twoAndService(),
    then: async (bed) => {
      await bed.machine("node-3", 3);
      await bed.until("three are targets", () => [...bed.project.balancers.values()][0].targets.length === 3);
      await bed.quiet();
      await bed.remove(NODES, "node-1");
      await bed.until("two are targets", () => [...bed.project.balancers.values()][0].targets.length === 2);
    },
  },
  {
    name: "a Service is deleted",
    ...twoAndService(),
    then: async (bed) => {
      await bed.remove(SERVICES, "web");
      await bed.until("it is gone", async () => (await bed.services()).length === 0);
    },
  },
  {
    name: "a Service whose balancer is protected is deleted",
    ...twoAndService(),
    then: async (bed) => {
      [...bed.project.balancers.values()][0].protection.delete = true;
      await bed.remove(SERVICES, "web");
      await bed.until("it is gone", async () => (await bed.services()).length === 0);
    },
  },
  {
    name: "a Service has no balancer any more",
    ...twoAndService(),
    then: async (bed) => {
      await bed.patchService("web", { spec: { type: "ClusterIP", ports: [{ ...HTTP_PORT, nodePort: null }] } });
      await bed.until("it is gone", () => bed.project.balancers.size === 0);
    },
  },
  {
    name: "a balancer is adopted by its name",
    before: async (bed) => {
      bed.project.addBalancer("front", { id: 90, labels: { team: "a" } });
      await two(bed);
    },
    services: (bed) => bed.service("web", { name: "front" }),
  },
  {
    name: "a Service has a UDP port besides",
    before: two,
    services: (bed) => bed.service("web", {}, { ports: [HTTP_PORT, DNS_PORT] }),
  },
  {
    name: "a port is added by somebody else",
    ...twoAndService(),
    then: async (bed) => {
      const [balancer] = [...bed.project.balancers.values()];
      balancer.services.push({ ...balancer.services[0], listen_port: 8080 });
      await bed.annotate("web", { "uses-proxyprotocol": "false" });
      await bed.until("it is gone", () => balancer.services.length === 1);
    },
  },
  {
    name: "routes of others stay, and one that leads elsewhere is put right",
    network: true,
    before: async (bed) => {
      bed.network!.routes.push({ destination: "192.168.0.0/24", gateway: "10.0.0.2" });
      bed.network!.routes.push({ destination: "10.244.1.0/24", gateway: "10.0.0.3" });
      await two(bed);
    },
    then: (bed) =>
      bed.until(
        "10.244.1.0/24 leads to node-1",
        () =>
          bed.network!.routes.some((route: { destination: string; gateway: string }) =>
            route.destination === "10.244.1.0/24" && route.gateway === "10.0.0.2"
          ),
      ),
  },
  {
    name: "a route into the cluster's range that leads to nobody goes",
    network: true,
    before: async (bed) => {
      bed.network!.routes.push({ destination: "10.244.99.0/24", gateway: "10.0.0.99" });
      await two(bed);
    },
    then: (bed) => bed.until("two routes are left", () => bed.network!.routes.length === 2),
  },
  {
    name: "a node goes and its route, too",
    network: true,
    before: two,
    then: async (bed) => {
      await bed.until("two routes are there", () => bed.network!.routes.length === 2);
      await bed.remove(NODES, "node-1");
      await bed.until("one route is left", () => bed.network!.routes.length === 1);
    },
  },
];
