import { assertEquals } from "@std/assert";
import { NODES as NODE_RESOURCE } from "../../src/api/mod.ts";
import { Client } from "../../src/client/mod.ts";
import { isUnpullable, NodeSimulator, type NodeSimulatorOptions } from "../../src/sandbox/mod.ts";
import { Harness, type Loose, pod, PODS } from "./sandbox_harness.ts";

/** A server with simulated nodes that run until the end of the test. */
class Cluster implements AsyncDisposable {
  readonly api = new Harness();
  readonly simulator: NodeSimulator;
  readonly client: Client;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(options: Partial<NodeSimulatorOptions> = {}) {
    const { world, server } = this.api;
    this.client = new Client({ world, transport: server.fetch, server: "http://server", userAgent: "nodes/1" });
    this.simulator = new NodeSimulator({ world, client: this.client, ...options });
    this.#running = this.simulator.run(this.#stop.signal);
  }

  async pod(name = "p", spec: object = {}): Promise<Loose> {
    await this.api.account("default");
    return (await this.api.post(PODS, pod(name, spec))).body;
  }

  async bind(name: string, node: string): Promise<void> {
    await this.api.post(`${PODS}/${name}/binding`, { metadata: { name }, target: { name: node } });
  }

  async read(name = "p"): Promise<Loose> {
    const { status, body } = await this.api.get(`${PODS}/${name}`);
    return status === 404 ? undefined : body;
  }

  advance(ms: number): Promise<void> {
    return this.api.world.clock.advance(ms);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.api.server.close();
    assertEquals(this.api.world.clock.pendingTimers, 0, "no timer is left");
  }
}

const condition = (pod: Loose, type: string) => pod.status.conditions?.find((one: Loose) => one.type === type)?.status;

Deno.test("NodeSimulator registers its nodes ready and without taints", async () => {
  await using cluster = new Cluster({ nodeCount: 2, labelsOf: (i) => ({ "topology.kubernetes.io/zone": `z${i}` }) });
  await cluster.advance(0);
  const { items } = await cluster.client.list(NODE_RESOURCE);
  assertEquals(items.map(({ metadata }) => metadata?.name), [...cluster.simulator.nodeNames]);
  for (const [i, { spec, status, metadata }] of items.entries()) {
    assertEquals(status?.conditions?.find(({ type }) => type === "Ready")?.status, "True");
    assertEquals([spec?.taints, metadata?.labels?.["topology.kubernetes.io/zone"]], [undefined, `z${i}`]);
    assertEquals(status?.allocatable, status?.capacity);
  }
});

Deno.test("NodeSimulator makes a pod bound to a node Running and Ready after podStartMs", async () => {
  await using cluster = new Cluster({ podStartMs: 700 });
  await cluster.advance(0);
  await cluster.pod();
  await cluster.bind("p", "node-0");
  await cluster.advance(699);
  assertEquals((await cluster.read()).status.phase, "Pending");
  await cluster.advance(1);
  const { status } = await cluster.read();
  assertEquals([status.phase, status.podIP, status.hostIP], ["Running", "10.244.0.1", "10.0.0.1"]);
  assertEquals(status.startTime, "2026-01-01T00:00:00Z");
  for (const type of ["PodScheduled", "Initialized", "PodReadyToStartContainers", "ContainersReady", "Ready"]) {
    assertEquals(condition({ status }, type), "True", type);
  }
  assertEquals([status.containerStatuses[0].ready, status.qosClass], [true, "BestEffort"]);
});

Deno.test("NodeSimulator leaves pods of other nodes alone", async () => {
  await using cluster = new Cluster({ podStartMs: 0 });
  await cluster.advance(0);
  await cluster.pod();
  await cluster.bind("p", "elsewhere");
  await cluster.advance(10_000);
  assertEquals((await cluster.read()).status.phase, "Pending");
});

Deno.test("NodeSimulator never makes a pod ready whose image cannot be pulled, until the image changes", async () => {
  await using cluster = new Cluster({ podStartMs: 100 });
  await cluster.advance(0);
  await cluster.pod("p", { containers: [{ name: "c", image: "nginx:404" }] });
  await cluster.bind("p", "node-0");
  await cluster.advance(60_000);
  const { status } = await cluster.read();
  assertEquals([status.phase, condition({ status }, "Ready")], ["Pending", "False"]);
  assertEquals(status.containerStatuses[0].state.waiting.reason, "ImagePullBackOff");
  const containers = [{ name: "c", image: "nginx:1" }];
  await cluster.client.patch({ ...NODE_RESOURCE, plural: "pods", namespaced: true }, {
    namespace: "default",
    name: "p",
  }, {
    type: "strategic",
    body: { spec: { containers } },
  });
  await cluster.advance(100);
  assertEquals((await cluster.read()).status.phase, "Running");
});

Deno.test("isUnpullable knows bad names and tags", () => {
  const images = [
    "nginx",
    "nginx:404",
    "bad-image:1",
    "reg:404/x",
    "x:never-pull",
    "x:never-pull-x",
    "nginx:1@sha256:ab",
  ];
  assertEquals(images.filter(isUnpullable), ["nginx:404", "bad-image:1", "x:never-pull"]);
});

Deno.test("NodeSimulator removes a pod being deleted after podStopMs", async () => {
  await using cluster = new Cluster({ podStartMs: 0, podStopMs: 300 });
  await cluster.advance(0);
  await cluster.pod();
  await cluster.bind("p", "node-0");
  await cluster.advance(10);
  await cluster.api.delete(`${PODS}/p`);
  await cluster.advance(299);
  assertEquals((await cluster.read()).metadata.deletionGracePeriodSeconds, 30);
  await cluster.advance(1);
  assertEquals(await cluster.read(), undefined);
});

Deno.test("NodeSimulator does not remove the next pod of the same name", async () => {
  await using cluster = new Cluster({ podStartMs: 0, podStopMs: 1000 });
  await cluster.advance(0);
  await cluster.pod();
  await cluster.bind("p", "node-0");
  await cluster.advance(10);
  await cluster.api.delete(`${PODS}/p`);
  await cluster.advance(500);
  await cluster.api.delete(`${PODS}/p`, { gracePeriodSeconds: 0 });
  const { metadata: { uid } } = await cluster.pod();
  await cluster.bind("p", "node-0");
  await cluster.advance(5000);
  assertEquals((await cluster.read()).metadata.uid, uid);
});

Deno.test("NodeSimulator binds waiting pods in turn when it is to schedule", async () => {
  await using cluster = new Cluster({ nodeCount: 3, schedule: true, podStartMs: 50 });
  await cluster.advance(0);
  for (const name of ["a", "b", "c", "d"]) await cluster.pod(name);
  await cluster.pod("gated", { schedulingGates: [{ name: "x.y/z" }] });
  await cluster.pod("own", { schedulerName: "mine" });
  await cluster.advance(100);
  const nodes: Record<string, number> = {};
  for (const name of ["a", "b", "c", "d"]) {
    const { spec, status } = await cluster.read(name);
    nodes[spec.nodeName] = (nodes[spec.nodeName] ?? 0) + 1;
    assertEquals(status.phase, "Running");
  }
  assertEquals(Object.values(nodes).sort(), [1, 1, 2]);
  for (const name of ["gated", "own"]) assertEquals((await cluster.read(name)).spec.nodeName, undefined);
});

Deno.test("NodeSimulator binds a pod only where selectors and cordons let it", async () => {
  await using cluster = new Cluster({
    nodeCount: 3,
    schedule: true,
    labelsOf: (i) => ({ disk: i === 2 ? "ssd" : "hdd" }),
  });
  await cluster.advance(0);
  const patch = (node: string, unschedulable: boolean) =>
    cluster.api.patch(`/api/v1/nodes/${node}`, { spec: { unschedulable } });
  await patch("node-0", true);
  await patch("node-1", true);
  await cluster.pod("any");
  await cluster.pod("picky", { nodeSelector: { disk: "hdd" } });
  await cluster.advance(100);
  assertEquals((await cluster.read("any")).spec.nodeName, "node-2");
  assertEquals((await cluster.read("picky")).spec.nodeName, undefined);
  await patch("node-1", false);
  await cluster.advance(100);
  assertEquals((await cluster.read("picky")).spec.nodeName, "node-1");
});

Deno.test("NodeSimulator lets pods end that are meant to", async () => {
  await using cluster = new Cluster({ schedule: true, podStartMs: 100, podRunMs: 1000 });
  await cluster.advance(0);
  await cluster.pod("p", { restartPolicy: "Never" });
  await cluster.advance(100);
  assertEquals((await cluster.read()).status.phase, "Running");
  await cluster.advance(1000);
  const { status } = await cluster.read();
  assertEquals([status.phase, status.containerStatuses[0].state.terminated.exitCode], ["Succeeded", 0]);
});

Deno.test("NodeSimulator tries again when the server refuses", async () => {
  await using cluster = new Cluster({ schedule: true, podStartMs: 100 });
  cluster.api.server.faults.add({ verb: "create", resource: "nodes", times: 1, status: { code: 500 } });
  cluster.api.server.faults.add({ verb: "patch", resource: "pods/status", times: 1, status: { code: 500 } });
  await cluster.advance(1000);
  await cluster.pod();
  await cluster.advance(3000);
  assertEquals((await cluster.read()).status.phase, "Running");
});

Deno.test("NodeSimulator renews leases when asked to", async () => {
  await using cluster = new Cluster({ leases: true });
  await cluster.advance(10_000);
  const path = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-0";
  const renewed = async () => (await cluster.api.get(path)).body.spec.renewTime;
  assertEquals(await renewed(), "2026-01-01T00:00:10.000000Z");
  await cluster.advance(10_000);
  assertEquals(await renewed(), "2026-01-01T00:00:20.000000Z");
});
