/** Simulated nodes as nodes: registration, leases, status, stop and loss. */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { NODES } from "../../../../src/api/mod.ts";
import { Client } from "../../../../src/client/mod.ts";
import { NodeSimulator } from "../../../../src/sandbox/mod.ts";
import { Harness, type Loose, MERGE, PODS, STRATEGIC } from "../apiserver/harness.ts";
import { NodesRig } from "./rig.ts";

const NODE = "/api/v1/nodes/node-0";
const lease = (name: string) => `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${name}`;

async function conditionOf(rig: NodesRig, type: string): Promise<Loose> {
  const { body } = await rig.api.get(NODE);
  return body.status.conditions.find((condition: Loose) => condition.type === type);
}

Deno.test("NodeSimulator registers its nodes ready and without taints", async () => {
  await using rig = await NodesRig.start({
    nodeCount: 2,
    labelsOf: (i) => ({ "topology.kubernetes.io/zone": `z${i}` }),
  });
  const { items } = await rig.client.list(NODES);
  assertEquals(items.map(({ metadata }) => metadata?.name), [...rig.simulator.nodeNames]);
  for (const [i, { spec, status, metadata }] of items.entries()) {
    assertEquals(status?.conditions?.find(({ type }) => type === "Ready")?.status, "True");
    assertEquals([spec?.taints, metadata?.labels?.["topology.kubernetes.io/zone"]], [undefined, `z${i}`]);
    assertEquals(metadata?.annotations?.["volumes.kubernetes.io/controller-managed-attach-detach"], "true");
    assertEquals(status?.allocatable, status?.capacity);
  }
  const csi = (await rig.api.get("/apis/storage.k8s.io/v1/csinodes/node-1")).body;
  assertEquals(csi.metadata.ownerReferences[0].uid, items[1].metadata?.uid);
});

Deno.test("NodeSimulator leaves the not-ready taint to a node lifecycle controller when told so", async () => {
  await using rig = await NodesRig.start({ untaint: false });
  const { body } = await rig.api.get(NODE);
  assertEquals(body.spec.taints.map(({ key }: Loose) => key), ["node.kubernetes.io/not-ready"]);
});

Deno.test("NodeDuties: a failed duty is retried after a second", async () => {
  const rig = await NodesRig.start({ nodeCount: 0 });
  await using _ = rig;
  rig.api.server.faults.add({ verb: "create", resource: "nodes", times: 2, status: { code: 500 } });
  rig.simulator.addNode();
  await rig.advance(1500);
  assertEquals((await rig.api.get(NODE)).status, 404);
  await rig.advance(1000);
  assertEquals((await rig.api.get(NODE)).status, 200);
});

Deno.test("NodeDuties: a node is created, or adopted if it exists; a kubelet's own fields are corrected", async () => {
  await using rig = await NodesRig.start({ nodeCount: 0 });
  await rig.api.post("/api/v1/nodes", {
    metadata: { name: "node-0", labels: { mine: "yes", "kubernetes.io/os": "plan9" } },
    status: { capacity: { cpu: "1" }, conditions: [{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown" }] },
  });
  const { metadata: { uid } } = (await rig.api.get(NODE)).body;
  rig.simulator.addNode("node-0", { capacity: { cpu: "4", pods: "10" } });
  await rig.advance(10);
  const { metadata, status } = (await rig.api.get(NODE)).body;
  assertEquals([metadata.uid, metadata.labels.mine, metadata.labels["kubernetes.io/os"]], [uid, "yes", "linux"]);
  assertEquals([status.capacity.cpu, status.allocatable.pods], ["4", "10"]);
  assertEquals((await conditionOf(rig, "Ready")).status, "True");
});

Deno.test("NodeDuties: the renewals of many nodes are spread over the ten seconds, and no more than workers requests are in flight", async () => {
  await using rig = await NodesRig.start({ nodeCount: 10 });
  const renewed = async (name: string) => (await rig.api.get(lease(name))).body.spec.renewTime.slice(17, 20);
  await rig.advance(10_000);
  const first = await Promise.all(rig.simulator.nodeNames.map(renewed));
  assertEquals(new Set(first).size, 10);
  const before = first[3];
  await rig.advance(10_000);
  assertEquals(Number(await renewed("node-3")), Number(before) + 10);
  assertEquals((await rig.api.get(lease("node-3"))).body.metadata.ownerReferences[0].name, "node-3");
});

Deno.test("NodeSimulator writes no leases when told not to", async () => {
  await using rig = await NodesRig.start({ leases: false });
  await rig.advance(20_000);
  assertEquals((await rig.api.get(lease("node-0"))).status, 404);
});

Deno.test("NodeDuties: a node is created, or adopted if it exists, and its status reported every five minutes and when it must change", async () => {
  await using rig = await NodesRig.start();
  await rig.advance(299_000);
  assertEquals((await conditionOf(rig, "Ready")).lastHeartbeatTime, "2026-01-01T00:00:00Z");
  await rig.advance(2000);
  const { lastHeartbeatTime, lastTransitionTime } = await conditionOf(rig, "Ready");
  assertEquals([lastHeartbeatTime, lastTransitionTime], ["2026-01-01T00:05:00Z", "2026-01-01T00:00:00Z"]);
  const conditions = [{ type: "Ready", status: "Unknown" }];
  await rig.api.patch(`${NODE}/status`, { status: { conditions } }, STRATEGIC);
  await rig.advance(10);
  assertEquals((await conditionOf(rig, "Ready")).status, "True");
});

Deno.test("NodeSimulator reports the conditions that a node's annotation asks for", async () => {
  await using rig = await NodesRig.start();
  await rig.annotate(NODE, { "kubeloop.dev/conditions": "MemoryPressure=True, Ready=False" });
  await rig.advance(10);
  const { status, reason } = await conditionOf(rig, "MemoryPressure");
  assertEquals([status, reason, (await conditionOf(rig, "Ready")).status], [
    "True",
    "KubeletHasInsufficientMemory",
    "False",
  ]);
  await rig.annotate(NODE, { "kubeloop.dev/conditions": null });
  await rig.advance(10);
  assertEquals([(await conditionOf(rig, "MemoryPressure")).status, (await conditionOf(rig, "Ready")).status], [
    "False",
    "True",
  ]);
});

Deno.test("NodeSimulator: a stopped node renews nothing and does nothing for its pods; NodeDuties: a node that is not up is left alone; PodWorkers: nothing is done for the pods of a node that is not up", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0, podRunMs: 5000 });
  await rig.pod("runs");
  await rig.pod("ends", { restartPolicy: "Never" });
  await rig.advance(1000);
  rig.simulator.stopNode("node-0");
  await rig.pod("late");
  await rig.api.delete(`${PODS}/runs`);
  await rig.advance(60_000);
  assertEquals([(await rig.status("runs")).phase, (await rig.status("ends")).phase], ["Running", "Running"]);
  assertEquals((await rig.status("late")).startTime, undefined);
  const { renewTime } = (await rig.api.get(lease("node-0"))).body.spec;
  assertEquals(renewTime, "2026-01-01T00:00:00.000000Z");
  const conditions = [{ type: "Ready", status: "Unknown" }];
  await rig.api.patch(`${NODE}/status`, { status: { conditions } }, STRATEGIC);
  await rig.advance(1000);
  assertEquals((await conditionOf(rig, "Ready")).status, "Unknown");

  rig.simulator.startNode("node-0");
  await rig.advance(1000);
  assertEquals((await conditionOf(rig, "Ready")).status, "True");
  assertEquals([await rig.read("runs"), (await rig.status("late")).phase], [undefined, "Running"]);
  const { phase, containerStatuses: [{ state }] } = await rig.status("ends");
  assertEquals([phase, state.terminated.finishedAt], ["Succeeded", "2026-01-01T00:00:05Z"]);
  await rig.advance(10_000);
  assertEquals((await rig.api.get(lease("node-0"))).body.spec.renewTime > renewTime, true);
});

Deno.test("NodeSimulator stops and starts a node by its annotation", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0 });
  await rig.annotate(NODE, { "kubeloop.dev/stopped": "true" });
  await rig.advance(10);
  await rig.pod();
  await rig.advance(30_000);
  assertEquals((await rig.status()).startTime, undefined);
  await rig.annotate(NODE, { "kubeloop.dev/stopped": null });
  await rig.advance(10);
  assertEquals((await rig.status()).phase, "Running");
});

Deno.test("NodeSimulator registers a deleted node again only when its kubelet is started again", async () => {
  await using rig = await NodesRig.start();
  await rig.api.delete(NODE);
  await rig.advance(600_000);
  assertEquals((await rig.api.get(NODE)).status, 404);
  rig.simulator.startNode("node-0");
  await rig.advance(10);
  assertEquals((await rig.api.get(NODE)).status, 200);
  await rig.advance(10_000);
  const { uid } = (await rig.api.get(NODE)).body.metadata;
  assertEquals((await rig.api.get(lease("node-0"))).status, 200);
  assertEquals(typeof uid, "string");
});

Deno.test("NodeSimulator takes over a node that somebody made in the place of a deleted one", async () => {
  await using rig = await NodesRig.start();
  await rig.api.delete(NODE);
  await rig.advance(1000);
  await rig.api.post("/api/v1/nodes", { metadata: { name: "node-0" } });
  await rig.advance(11_000);
  assertEquals((await conditionOf(rig, "Ready")).status, "True");
  assertEquals((await rig.api.get(NODE)).body.status.capacity.cpu, "64");
});

Deno.test("NodeSimulator adds nodes and takes them away", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0 });
  assertEquals(rig.simulator.addNode(undefined, { taints: [{ key: "gpu", effect: "NoSchedule" }] }), "node-1");
  await rig.advance(10);
  assertEquals((await rig.api.get("/api/v1/nodes/node-1")).body.spec.taints, [{ key: "gpu", effect: "NoSchedule" }]);
  await rig.pod("p", { nodeName: "node-1" });
  await rig.advance(10);
  await rig.simulator.removeNode("node-1");
  assertEquals([(await rig.api.get("/api/v1/nodes/node-1")).status, rig.simulator.nodeNames], [404, ["node-0"]]);
  await rig.api.delete(`${PODS}/p`);
  await rig.advance(60_000);
  assertEquals((await rig.status()).phase, "Running", "whoever collects pods must force it");
  rig.simulator.addNode("node-1");
  await rig.advance(1000);
  assertEquals(await rig.read(), undefined, "or a node of that name comes");
  assertThrows(() => rig.simulator.addNode("node-0"), Error, 'Cannot add node "node-0"');
  await assertRejects(() => rig.simulator.removeNode("node-7"), Error, 'There is no simulated node "node-7"');
});

Deno.test("NodeSimulator gives pods addresses of their node's range, and the node's own to host-network pods", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0 });
  await rig.api.patch(NODE, { spec: { podCIDR: "10.9.1.0/24", podCIDRs: ["10.9.1.0/24", "fd00:9::/64"] } }, MERGE);
  await rig.advance(10);
  await rig.pod();
  await rig.pod("host", { hostNetwork: true });
  await rig.advance(10);
  assertEquals((await rig.status()).podIPs, [{ ip: "10.9.1.2" }, { ip: "fd00:9::2" }]);
  assertEquals((await rig.status("host")).podIP, "10.0.0.1");
});

Deno.test("NodeSimulator leaves a pod the address that it had before its node got a range", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0 });
  await rig.pod("early", { annotations: { "kubeloop.dev/ready-after": "1s" } });
  await rig.advance(10);
  const { podIP } = await rig.status("early");
  await rig.api.patch(NODE, { spec: { podCIDR: "10.9.1.0/24", podCIDRs: ["10.9.1.0/24"] } }, MERGE);
  await rig.advance(2_000);
  const { podIPs, conditions } = await rig.status("early");
  assertEquals([podIPs, conditions.find(({ type }: Loose) => type === "Ready").status], [[{ ip: podIP }], "True"]);
});

Deno.test("NodeSimulator rejects pods that somebody put on a node they do not fit", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0, capacity: { cpu: "1", memory: "1Gi", pods: "10" } });
  const requests = (cpu: string) => ({ containers: [{ name: "c", image: "a:1", resources: { requests: { cpu } } }] });
  await rig.pod("fits", requests("800m"));
  await rig.advance(10);
  await rig.pod("large", requests("300m"));
  await rig.pod("picky", { nodeSelector: { disk: "ssd" } });
  await rig.advance(10);
  const verdict = async (name: string) => {
    const { phase, reason, message } = await rig.status(name);
    return [phase, reason, message];
  };
  assertEquals((await rig.status("fits")).phase, "Running");
  assertEquals(await verdict("large"), [
    "Failed",
    "OutOfcpu",
    "Pod was rejected: Node didn't have enough resource: cpu, requested: 300, used: 800, capacity: 1000",
  ]);
  assertEquals(await verdict("picky"), [
    "Failed",
    "NodeAffinity",
    "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
  ]);
  await rig.api.delete(`${PODS}/fits`);
  await rig.advance(1000);
  await rig.pod("next", requests("900m"));
  await rig.advance(10);
  assertEquals((await rig.status("next")).phase, "Running", "room is given back");
});

Deno.test("NodeSimulator: existing pods and nodes are adopted as they are", async () => {
  await using rig = await NodesRig.start({ podStartMs: 0, podRunMs: 30_000 });
  const annotations = { "kubeloop.dev/exit-code": "1", "kubeloop.dev/run-for": "2s" };
  await rig.pod("crashes", { annotations });
  await rig.pod("ends", { restartPolicy: "Never" });
  await rig.pod("runs");
  await rig.advance(7000);
  assertEquals(await rig.states("crashes"), ["CrashLoopBackOff 1"]);
  const ip = (await rig.status("runs")).podIP;
  rig.simulator.stopNode("node-0");

  const { world } = rig.api;
  const second = new NodeSimulator({ world, client: rig.client, podStartMs: 0, podRunMs: 30_000 });
  const stop = new AbortController();
  const running = second.run(stop.signal);
  await rig.advance(1000);
  await rig.pod("new");
  await rig.advance(6000);
  assertEquals(await rig.states("crashes"), ["CrashLoopBackOff 1"]);
  await rig.advance(2000);
  assertEquals(await rig.states("crashes"), ["running 2"]);
  assertEquals([(await rig.status("runs")).podIP, (await rig.status("new")).podIP === ip], [ip, false]);
  await rig.advance(15_000);
  assertEquals((await rig.status("ends")).phase, "Succeeded");
  stop.abort();
  await running;
});

Deno.test("NodeSimulator: when run resolves, no timer and no request of it is left", async () => {
  using api = new Harness();
  const { world, server } = api;
  const client = new Client({ world, transport: server.fetch, server: "http://server", userAgent: "nodes/1" });
  const stop = new AbortController();
  const running = new NodeSimulator({ world, client, podStartMs: 5000 }).run(stop.signal);
  await api.account("default");
  await world.clock.advance(10);
  const spec = { nodeName: "node-0", containers: [{ name: "c", image: "nginx:1" }] };
  await api.post(PODS, { metadata: { name: "starting" }, spec });
  await world.clock.advance(10);
  assert(world.clock.pendingTimers > 0 && server.openWatches > 0);
  stop.abort();
  await world.clock.advance(0);
  await running;
  assertEquals([world.clock.pendingTimers, server.openWatches], [0, 0]);
});
