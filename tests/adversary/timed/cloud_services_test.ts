/**
 * Tenants and clouds that mean ill, against service-lb-controller: who asks for little is served, and nobody is held up.
 *
 * | attack                                               | what bounds it                                                   |
 * | ---------------------------------------------------- | ----------------------------------------------------------------- |
 * | 10,000 Services while 500 nodes change               | the set of nodes is found once a change, and compared at a glance |
 * | a Service of 1,000 ports, annotations of 256 KiB     | nothing of it is looked at but what changed                       |
 * | a cloud that never answers about one Service         | only that one waits; calls have time limits                       |
 * | statuses of a million addresses, or of none          | the first thousand entries; what is wrong is in an event          |
 * | errors of a megabyte                                 | a thousand characters of them                                     |
 */
import { assert, assertEquals, assertLess } from "@std/assert";
import { FakeWorld, MetricsRegistry, nextTurn, SystemClock } from "../../../src/base/mod.ts";
import { type LoadBalancerStatus, type Node, NODES, type Service, SERVICES } from "../../../src/api/mod.ts";
import type { LoadBalancers } from "../../../src/cloud/mod.ts";
import type { Controller } from "../../../src/controllers/mod.ts";
import { SERVICE_LB_CONTROLLER } from "../../../src/controllers/service_lb/mod.ts";
import { CloudGuard } from "../../../src/manager/cloud/cloud_guard.ts";
import { FakeCloud } from "../../unit/cloud/fake_cloud.ts";
import { CachedInformer } from "../../unit/controllers/cached_informer.ts";
import { fakeContext } from "../../unit/controllers/context.ts";
import { FakeRecorder } from "../../unit/controllers/fake_recorder.ts";
import { BalancerRig, node, service } from "../../unit/controllers/service_lb/balancer_rig.ts";
import { threadMs } from "./thread_time.ts";

const SERVICE_COUNT = 10_000;
const NODE_COUNT = 500;
const ADDRESS: LoadBalancerStatus = { ingress: [{ ip: "1.2.3.4" }] };
/** The goal is 50 ms; other programs may be running on this machine, too. */
const LONGEST_TURN_MS = 300;

/** Counts what it is asked for, and knows which nodes each balancer has. */
class CountingCloud {
  readonly nodes = new Map<string, readonly Node[]>();
  calls = 0;
  readonly loadBalancers: LoadBalancers = {
    getLoadBalancer: (_, { metadata }) => Promise.resolve(this.nodes.has(metadata?.name ?? "") ? ADDRESS : null),
    ensureLoadBalancer: (_, service, nodes) => {
      const name = service.metadata?.name ?? "";
      if (name === "silent") return new Promise(() => {});
      this.#give(name, nodes);
      return Promise.resolve(name === "huge" ? { ingress: Array(1_000_000).fill({ ip: "1.2.3.4" }) } : ADDRESS);
    },
    updateLoadBalancer: (_, { metadata }, nodes) => Promise.resolve(this.#give(metadata?.name ?? "", nodes)),
    ensureLoadBalancerDeleted: (_, { metadata }) => Promise.resolve(void this.nodes.delete(metadata?.name ?? "")),
  };

  #give(name: string, nodes: readonly Node[]): void {
    this.calls++;
    this.nodes.set(name, nodes);
  }
}

/** The largest that the API server admits, more or less. */
function large(name: string): Service {
  const ports = Array.from(
    { length: 1_000 },
    (_, i) => ({ name: `p${i}`, port: i + 1, nodePort: 30_000 + i, protocol: "TCP", targetPort: 80 }),
  );
  return service(name, { ports }, { annotations: Object.fromEntries([["note", "x".repeat(255 * 1024)]]) });
}

/** Looks for the longest time in which nothing else could run. */
async function longestTurn(signal: AbortSignal): Promise<number> {
  let longest = 0;
  for (let last = threadMs(); !signal.aborted;) {
    await nextTurn();
    const now = threadMs();
    longest = Math.max(longest, now - last);
    last = now;
  }
  return longest;
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let turns = 0; !holds(); turns++) {
    assertLess(turns, 1_000_000, `until ${what}`);
    await nextTurn();
  }
}

Deno.test("ten thousand Services get five hundred changing nodes, one of them never, and nobody holds the thread", async () => {
  const world = { ...new FakeWorld(), clock: new SystemClock() };
  const [services, nodes] = [new CachedInformer<Service>(), new CachedInformer<Node>()];
  const [cloud, recorder] = [new CountingCloud(), new FakeRecorder()];
  const client = { patchMetadata: () => Promise.resolve({}) };
  const informers = [[SERVICES, services], [NODES, nodes]] as const;
  const context = {
    ...fakeContext({ world: world as unknown as FakeWorld, metrics: new MetricsRegistry(), client, informers }),
    recorder: () => recorder,
    cloud: { name: "fake", hasClusterId: true, loadBalancers: cloud.loadBalancers },
  };
  const controller = SERVICE_LB_CONTROLLER.build!(context, { workers: 4, clusterName: "kubernetes" }) as Controller;
  for (let i = 0; i < NODE_COUNT; i++) nodes.set(node(`n${i}`));
  const stop = new AbortController();
  const running = controller.run(stop.signal);
  const watching = longestTurn(stop.signal);
  for (const object of [service("silent"), service("huge"), large("large")]) services.set(object);
  for (let i = 0; i < SERVICE_COUNT; i++) {
    services.set(service(`s${i}`));
    if (i % 200 === 0) await nextTurn();
  }
  await until("all have a balancer", () => cloud.nodes.size === SERVICE_COUNT + 2);
  for (let i = 0; i < 20; i++) {
    nodes.set(node(`n${i}`, {}, { providerID: `fake://new-${i}` }));
    services.set(large("large")); // a replay that looks like a change
    await nextTurn();
  }
  const has = (given: readonly Node[] | undefined) => given?.[0].spec?.providerID?.startsWith("fake://new-") ?? false;
  const isTold = () => [...cloud.nodes].every(([name, given]) => name === "huge" || has(given));
  for (let turns = 0; !isTold(); turns++) {
    assertLess(turns, 100_000);
    for (let i = 0; i < 50; i++) await nextTurn();
  }
  stop.abort();
  assertLess(await watching, LONGEST_TURN_MS, "milliseconds without a turn for others");
  assertLess(cloud.calls, 25 * SERVICE_COUNT, "calls of the cloud");
  const said = recorder.lines.filter((line) => line.includes("a/huge") && line.startsWith("Warning"));
  assert(said[0].endsWith("ingress has 1000000 entries, and may have 1000"), said[0]);
  // The run itself never ends: the cloud neither answers nor ends the call when it is told to.
  await Promise.race([running, nextTurn()]);
});

Deno.test("a cloud that never answers about one Service keeps the others waiting for no longer than a call may take", async () => {
  const world = new FakeWorld();
  const { provider } = new FakeCloud();
  const loadBalancers: LoadBalancers = {
    ...provider.loadBalancers!,
    ensureLoadBalancer: (name, service, nodes, signal) =>
      service.metadata?.name === "silent"
        ? new Promise(() => {})
        : provider.loadBalancers!.ensureLoadBalancer(name, service, nodes, signal),
  };
  const guard = new CloudGuard({ clock: world.clock, provider: { ...provider, loadBalancers }, mayWrite: () => true });
  const rig = new BalancerRig(guard.provider, { world });
  rig.put(node("a"), service("silent"), service("web"));
  await rig.start();
  await rig.settle(900_000);
  assertEquals(rig.find("web")?.status?.loadBalancer?.ingress?.[0].ip, "1.2.3.4");
  const [failed] = rig.said().events.filter((line) => line.startsWith("Warning"));
  assert(
    failed.includes("failed to ensure load balancer: The cloud did not answer ensureLoadBalancer within 900 s"),
    failed,
  );
  await rig.end();
});

Deno.test("a Service of a thousand ports and 256 KiB is served once, and again only when it changes", async () => {
  const cloud = new FakeCloud();
  const rig = new BalancerRig(cloud.provider);
  rig.put(large("large"));
  await rig.start();
  const stored = rig.find("large")!;
  const metadata = { ...stored.metadata, resourceVersion: undefined };
  rig.put({ ...stored, metadata: { ...metadata, labels: { a: "b" } } });
  await rig.settle();
  assertEquals(cloud.asked().map(({ method }) => method), ["ensureLoadBalancer"]);
  const ports = stored.spec!.ports!.with(999, { ...stored.spec!.ports![999], port: 2_000 });
  rig.put({ ...stored, metadata, spec: { ...stored.spec, ports } });
  await rig.settle();
  assertEquals(cloud.asked().map(({ method }) => method), ["ensureLoadBalancer", "ensureLoadBalancer"]);
  await rig.end();
});
