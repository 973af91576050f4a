/** Random histories of a project of Hetzner Cloud, its outages, and of processes that die. */
import { assert, assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import type { Node, Service } from "../../src/api/mod.ts";
import { type CloudProvider, RetryError, type SendRequest } from "../../src/cloud/mod.ts";
import type { HcloudEmulator } from "../emulators/hcloud/emulator.ts";
import type { Thing } from "../emulators/hcloud/state.ts";
import { Bench, nodeOf, serviceOf } from "../unit/cloud/hcloud/bench.ts";

const UID_LABEL = "hcloud-ccm/service-uid";
const SERVERS = 5;

/** What goes wrong with every request for a while. */
const OUTAGES: Readonly<Record<string, () => Response | Promise<Response>>> = {
  error: () => new Response("oops", { status: 500 }),
  silence: () => new Promise<Response>(() => {}),
  half: () => new Response('{"servers":[{"id":'),
  emptyObject: () => Response.json({}),
  emptyLists: () =>
    Response.json({
      servers: [],
      load_balancers: [],
      certificates: [],
      meta: { pagination: { page: 1, next_page: null, total_entries: 0 } },
    }),
  unauthorized: () => Response.json({ error: { code: "unauthorized", message: "expired" } }, { status: 401 }),
  gateway404: () => new Response("<html>", { status: 404 }),
};

/** What a Service wants: its annotations and ports. */
const wish = fc.record({
  annotations: fc.record({
    "algorithm-type": fc.constantFrom("round_robin", "least_connections"),
    "type": fc.constantFrom("lb11", "lb21"),
    "uses-proxyprotocol": fc.constantFrom("true", "false"),
    "use-private-ip": fc.constantFrom("true", "false"),
    "health-check-interval": fc.constantFrom("5s", "10s"),
    "protocol": fc.constantFrom("tcp", "http"),
    "http-sticky-sessions": fc.constantFrom("true", "false"),
    "disable-public-network": fc.constantFrom("true", "false"),
    "ipv4-rdns": fc.constantFrom("a.example", "b.example"),
  }, { requiredKeys: ["type"] }),
  ports: fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { maxLength: 4 }),
  nodes: fc.uniqueArray(fc.nat(SERVERS - 1), { maxLength: SERVERS }),
});

type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never;

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("ensure" as const),
      service: fc.nat(2),
      wish,
      crashAt: fc.option(fc.nat(8)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), service: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("outage" as const), how: fc.constantFrom(...Object.keys(OUTAGES)) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("drift" as const), service: fc.nat(2), what: fc.nat(4) }) },
);

class Crash extends Error {}

/** A project with a stranger's things, and a process that may die right after a write. */
class History {
  readonly bench: Bench;
  readonly servers: Thing[];
  readonly nodes: Node[];
  readonly strangers: unknown;
  provider!: CloudProvider;
  /** The write after which the process is no more. */
  #crashAfter = Infinity;
  #dead = false;

  constructor() {
    this.bench = new Bench({
      actionMs: 600,
      env: { HCLOUD_NETWORK: "cluster" },
      send: (emulator) => this.#mortal(emulator),
    });
    const { project } = this.bench.emulator;
    const network = project.addNetwork("cluster");
    this.servers = Array.from({ length: SERVERS }, (_, i) => {
      const server = project.addServer(`node-${i}`);
      project.attach(server, network, `10.0.0.${i + 2}`);
      return server;
    });
    this.nodes = this.servers.map((server) => nodeOf(server));
    project.addBalancer("strangers", {
      labels: { [UID_LABEL]: "another-cluster" },
      targets: [target(this.servers[0])],
    });
    project.addBalancer("by-hand", { targets: [target(this.servers[1])] });
    this.strangers = structuredClone(this.#strangers());
  }

  #strangers(): Thing[] {
    return [...this.bench.emulator.project.balancers.values()].filter(({ name }) =>
      ["strangers", "by-hand"].includes(name)
    );
  }

  get own(): Thing[] {
    return [...this.bench.emulator.project.balancers.values()].filter((balancer) =>
      !this.#strangers().includes(balancer)
    );
  }

  async restart(): Promise<void> {
    this.#dead = false;
    this.#crashAfter = Infinity;
    this.provider = await this.bench.open();
  }

  #mortal({ handle }: HcloudEmulator): SendRequest {
    return async (request) => {
      if (this.#dead) throw new Crash("this process is no more");
      const isWrite = request.method !== "GET";
      const response = await handle(request);
      if (isWrite && --this.#crashAfter < 0) {
        this.#dead = true;
        throw new Crash("the process ended");
      }
      return response;
    };
  }

  /** Asks until it is done, as the controller does, after a crash with a new process. */
  async ensure(service: Service, nodes: readonly Node[], crashAt: number | null = null): Promise<void> {
    this.#crashAfter = crashAt ?? Infinity;
    for (let tries = 0;; tries++) {
      try {
        const { loadBalancers } = this.provider;
        await this.bench.run(loadBalancers!.ensureLoadBalancer("kubernetes", service, nodes, this.bench.signal));
        this.#crashAfter = Infinity;
        return;
      } catch (error) {
        if (tries > 5) throw error;
        if (this.#dead) await this.restart();
        await this.bench.world.clock.advance(error instanceof RetryError ? error.afterMs : 5000);
      }
    }
  }

  checkStrangers(): void {
    assertEquals(this.#strangers(), this.strangers);
  }
}

function target({ id }: Thing): Thing {
  return { type: "server", server: { id }, use_private_ip: false };
}

function serviceFor(i: number, { annotations, ports }: Wish): Service {
  return serviceOf(annotations as Record<string, string>, {
    name: `s${i}`,
    ports: ports.map((port) => ({ port, nodePort: 30_000 + port, protocol: "TCP" })),
  });
}

function checkBalancer(
  balancer: Thing,
  service: Service,
  { ports, nodes, annotations }: Wish,
  servers: readonly Thing[],
) {
  assertEquals(balancer.labels, { [UID_LABEL]: service.metadata!.uid });
  assertEquals(new Set(balancer.services.map(({ listen_port }: Thing) => listen_port)), new Set(ports));
  assertEquals(
    new Set(balancer.targets.map(({ server }: Thing) => server.id)),
    new Set(nodes.map((i) => servers[i].id)),
  );
  const isPrivate = annotations["use-private-ip"] === "true";
  assert(balancer.targets.every(({ use_private_ip }: Thing) => use_private_ip === isPrivate));
  assertEquals(balancer.load_balancer_type.name, annotations.type);
}

/** Asks everything about everything while the cloud is unwell: it may fail, and must not say or do anything wrong. */
async function endure(history: History, how: string, services: ReadonlyMap<number, Wish>): Promise<void> {
  const { bench, provider, nodes } = history;
  await bench.world.clock.advance(20_000);
  const before = structuredClone([...bench.emulator.project.balancers.values()]);
  bench.emulator.interfere = () => OUTAGES[how]();
  const { instances, loadBalancers } = provider;
  for (const node of nodes.slice(0, 2)) {
    const exists = await bench.run(instances!.instanceExists(node, bench.signal)).catch(() => true);
    assert(exists, `${how}: a server is said not to exist`);
  }
  for (const [i, wish] of services) {
    const service = { ...serviceFor(i, wish), status: { loadBalancer: { ingress: [{ ip: "203.0.113.1" }] } } };
    const status = await bench.run(loadBalancers!.getLoadBalancer("", service, bench.signal)).catch(() => ({}));
    assert(status !== null, `${how}: a balancer is said not to exist`);
    await bench.run(loadBalancers!.ensureLoadBalancerDeleted("", service, bench.signal)).catch(() => {});
    await bench.run(loadBalancers!.ensureLoadBalancer("", service, nodes, bench.signal)).catch(() => {});
  }
  bench.emulator.interfere = undefined;
  assertEquals([...bench.emulator.project.balancers.values()], before, how);
  await bench.world.clock.advance(60_000);
}

Deno.test("hcloud: whatever happens, balancers become what Services want, nothing leaks, and nobody else's is touched", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const history = new History();
      await history.restart();
      const wanted = new Map<number, Wish>();
      for (const event of steps) {
        switch (event.kind) {
          case "ensure": {
            const service = serviceFor(event.service, event.wish);
            const nodes = event.wish.nodes.map((i) => history.nodes[i]);
            await history.ensure(service, nodes, event.crashAt);
            wanted.set(event.service, event.wish);
            const [balancer, ...more] = history.own.filter(({ labels }) => labels[UID_LABEL] === service.metadata!.uid);
            assertEquals(more, []);
            checkBalancer(balancer, service, event.wish, history.servers);
            const { loadBalancers } = history.provider;
            const again = () => loadBalancers!.ensureLoadBalancer("", service, nodes, history.bench.signal);
            assertEquals(await history.bench.writes(again), [], "ensured again");
            break;
          }
          case "delete": {
            const service = serviceFor(
              event.service,
              wanted.get(event.service) ?? { annotations: { type: "lb11" }, ports: [], nodes: [] },
            );
            const { bench, provider } = history;
            await bench.run(provider.loadBalancers!.ensureLoadBalancerDeleted("", service, bench.signal));
            wanted.delete(event.service);
            break;
          }
          case "outage":
            await endure(history, event.how, wanted);
            break;
          case "drift":
            drift(history, event.service, event.what);
        }
        assertEquals(history.own.length, wanted.size);
        history.checkStrangers();
      }
    }),
    { numRuns: 60 },
  );
});

/** Somebody changes a balancer by hand; the next ensure puts it right. */
function drift(history: History, i: number, what: number): void {
  const balancer = history.own.find(({ labels }) => labels[UID_LABEL].endsWith(`s${i}`));
  if (!balancer) return;
  const changes = [
    () => balancer.targets = [],
    () => balancer.services = [],
    () => balancer.targets = [target(history.servers[0])],
    () => balancer.services.push({ ...balancer.services[0], listen_port: 9999 }),
    () => balancer.public_net.ipv4.dns_ptr = "changed.example",
  ];
  if (what !== 3 || balancer.services.length > 0) changes[what]();
}
