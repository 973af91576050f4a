import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { Node, Service } from "../../../../src/api/mod.ts";
import { FakeWorld } from "../../../../src/base/mod.ts";
import { SimulatedCloud } from "../../../../src/cloud/simulated/mod.ts";
import { cloudConformance, type CloudTestbed } from "../../../../src/testkit/mod.ts";

const { signal } = new AbortController();

function nodeOf(name: string, providerID?: string): Node {
  return { apiVersion: "v1", kind: "Node", metadata: { name, uid: `uid-${name}` }, spec: { providerID } };
}

function serviceOf(name: string, more: Partial<Service> = {}): Service {
  const metadata = { name, namespace: "default", uid: `uid-${name}`, ...more.metadata };
  const spec: Service["spec"] = { type: "LoadBalancer", ports: [{ port: 80, nodePort: 30080 }], ...more.spec };
  return { apiVersion: "v1", kind: "Service", ...more, metadata, spec };
}

/** A cloud of two machines, and what controllers ask of it. */
function open() {
  const world = new FakeWorld();
  const cloud = new SimulatedCloud({ world });
  cloud.addMachine({ name: "a" });
  cloud.addMachine({ name: "b" });
  const { instances, loadBalancers, routes } = cloud.provider;
  return { world, cloud, instances: instances!, balancers: loadBalancers!, routes: routes! };
}

let current: SimulatedCloud;
const NODES: [Node, Node] = [nodeOf("a", "simulated://a"), nodeOf("b", "simulated://b")];
const BED: CloudTestbed = {
  open: () => {
    current = open().cloud;
    current.addMachine({ name: "stopped" });
    current.setMachine("stopped", "stopped");
    return current.provider;
  },
  balancers: {
    nodes: NODES,
    changes: () => current.changes,
    targets: ({ metadata }) => {
      const targets = current.balancers.find(({ uid }) => uid === metadata?.uid)?.targets ?? [];
      return targets.map((id) => id.slice("simulated://".length));
    },
  },
  instances: {
    running: NODES[0],
    stopped: nodeOf("stopped", "simulated://stopped"),
    absent: nodeOf("none", "simulated://none"),
    knows: ["providerID", "instanceType", "zone", "region", "nodeAddresses"],
  },
  routes: { nodes: NODES },
};
for (const { name, run } of cloudConformance(BED)) Deno.test(`SimulatedCloud: ${name}`, run);

Deno.test("SimulatedCloud: it never reports a machine as gone that it did not make, and knows nothing of Nodes of others", async () => {
  const { instances } = open();
  for (const node of [nodeOf("c"), nodeOf("a", "aws:///eu/i-1"), nodeOf("c", "simulated")]) {
    assertEquals(await instances.instanceExists(node, signal), true);
    assertEquals(await instances.instanceShutdown(node, signal), false);
    assertEquals(await instances.instanceMetadata(node, signal), null);
  }
});

Deno.test("Machines: a machine that was removed does not exist, and no other ever gets its ID", async () => {
  const { cloud, instances } = open();
  cloud.setMachine("a", "removed");
  assertEquals(await instances.instanceExists(nodeOf("a"), signal), false);
  assertEquals(await instances.instanceExists(nodeOf("a", "simulated://a"), signal), false);
  assertEquals(cloud.addMachine({ name: "a" }).id, "simulated://a-2");
  assertEquals(await instances.instanceExists(nodeOf("a", "simulated://a"), signal), false);
  assertEquals(await instances.instanceExists(nodeOf("a"), signal), true);
  assertThrows(
    () => cloud.setMachine("c", "stopped"),
    Error,
    'There is no machine "c" in the simulated cloud, only b, a',
  );
  assertThrows(() => cloud.addMachine({ name: "a" }), Error, 'Cannot make machine "a"');
});

Deno.test("Balancers: no address is given to two of them, be it of their families, requested, or shown by their status", async () => {
  const { balancers } = open();
  const ensure = async (service: Service) =>
    (await balancers.ensureLoadBalancer("c", service, NODES, signal)).ingress?.map(({ ip }) => ip);
  assertEquals(await ensure(serviceOf("one")), ["203.0.113.1"]);
  assertEquals(await ensure(serviceOf("two", { spec: { ipFamilies: ["IPv6", "IPv4"] } })), [
    "2001:db8::1",
    "203.0.113.2",
  ]);
  assertEquals(await ensure(serviceOf("three", { spec: { loadBalancerIP: "203.0.113.9" } })), ["203.0.113.9"]);
  assertEquals(await ensure(serviceOf("four", { status: { loadBalancer: { ingress: [{ ip: "203.0.113.7" }] } } })), [
    "203.0.113.7",
  ]);
  assertEquals(await ensure(serviceOf("five", { status: { loadBalancer: { ingress: [{ ip: "203.0.113.7" }] } } })), [
    "203.0.113.3",
  ]);
  for (const loadBalancerIP of ["203.0.113.9", "8.8.8.8"]) {
    await assertRejects(() => ensure(serviceOf("six", { spec: { loadBalancerIP } })), Error, loadBalancerIP);
  }
});

Deno.test("SimulatedCloud has 254 addresses, and gives one that is free again to the next", async () => {
  const { balancers, cloud } = open();
  const ensure = (i: number) => balancers.ensureLoadBalancer("c", serviceOf(`s${i}`), [], signal);
  for (let i = 0; i < 254; i++) await ensure(i);
  assertEquals(new Set(cloud.balancers.flatMap(({ addresses }) => addresses)).size, 254);
  await assertRejects(() => ensure(254), Error, "there is no free IPv4 address");
  await balancers.ensureLoadBalancerDeleted("c", serviceOf("s7"), signal);
  assertEquals((await ensure(254)).ingress?.[0].ip, "203.0.113.8");
});

Deno.test("RouteTable: a range leads to one node; RouteTable: a route whose machine is gone stays, and leads nowhere", async () => {
  const { cloud, routes } = open();
  const route = { targetNode: "a", destinationCIDR: "10.224.0.0/24" };
  await routes.createRoute("c", "uid", route, signal);
  await assertRejects(
    () => routes.createRoute("c", "uid", { ...route, targetNode: "b" }, signal),
    Error,
    "leads to another",
  );
  cloud.setMachine("a", "removed");
  const [listed] = await routes.listRoutes("c", signal);
  assertEquals([listed.targetNode, listed.blackhole], ["", true]);
  await assertRejects(() => routes.createRoute("c", "uid", route, signal), Error, "is gone");
  await routes.deleteRoute("c", listed, signal);
  assertEquals(await routes.listRoutes("c", signal), []);
});

for (
  const [text, tries, failure] of [
    ["fail:quota exceeded,ok", 1, "quota exceeded"],
    ["soon", 1, '"soon" is not a result: use ok, fail or never'],
    ["-5s", 1, '"-5s" is less than zero'],
    ["", 0, ""],
  ] as const
) {
  Deno.test(`kubeloop.dev/load-balancer=${text} fails ${tries} times`, async () => {
    const { balancers } = open();
    const service = serviceOf("s", { metadata: { annotations: { "kubeloop.dev/load-balancer": text } } });
    const ensure = () => balancers.ensureLoadBalancer("c", service, [], signal);
    for (let i = 0; i < tries; i++) await assertRejects(ensure, Error, failure);
    if (text.endsWith("ok") || text === "") assert((await ensure()).ingress);
  });
}

Deno.test("SimulatedCloud: a call ends when its signal aborts; until then it takes its time, loses its answer or lies as long as a fault says", async () => {
  const { world: { clock }, cloud, balancers, instances } = open();
  let isDone = false;
  const slow = cloud.fault({ delayMs: 5_000, times: 1 });
  const call = instances.instanceExists(NODES[0], signal).then(() => isDone = true);
  await clock.advance(4_999);
  assertEquals(isDone, false);
  await clock.advance(1);
  await call;
  slow[Symbol.dispose]();
  const abort = new AbortController();
  using _never = cloud.fault({ delayMs: Infinity, times: 1 });
  const endless = assertRejects(() => instances.instanceExists(NODES[0], abort.signal), Error, "enough");
  abort.abort(new Error("enough"));
  await endless;
  using _lost = cloud.fault({ methods: ["ensureLoadBalancer"], error: new Error("reset"), isDone: true, times: 1 });
  await assertRejects(() => balancers.ensureLoadBalancer("c", serviceOf("s"), [], signal), Error, "reset");
  assertEquals(cloud.balancers.length, 1);
  using _lie = cloud.fault({ methods: ["instanceExists"], answer: "perhaps" });
  assertEquals(await instances.instanceExists(NODES[0], signal) as unknown, "perhaps");
  assertEquals(cloud.calls, { instanceExists: 3, ensureLoadBalancer: 1 });
});

Deno.test("Machines: a Node is one of the cloud's if its provider ID says so, or by its name while it has none", async () => {
  const { cloud, instances } = open();
  assertEquals((await instances.instanceMetadata(nodeOf("a"), signal))?.providerID, "simulated://a");
  assertEquals((await instances.instanceMetadata(nodeOf("a", "simulated://b"), signal))?.providerID, "simulated://b");
  cloud.setMachine("b", "removed");
  assertEquals(await instances.instanceExists(nodeOf("a", "simulated://b"), signal), false);
  for (const odd of ["simulated://", "simulated://a/b", "simulated:a", "other://b"]) {
    assertEquals(await instances.instanceExists(nodeOf("b", odd), signal), true, odd);
  }
});

Deno.test("Balancers: a balancer keeps its addresses while its families stay", async () => {
  const { balancers } = open();
  const ensure = async (families: string[]) => {
    const service = serviceOf("s", { spec: { ipFamilies: families } });
    return (await balancers.ensureLoadBalancer("c", service, [], signal)).ingress?.map(({ ip }) => ip);
  };
  await balancers.ensureLoadBalancer("c", serviceOf("first"), [], signal);
  assertEquals(await ensure(["IPv4"]), ["203.0.113.2"]);
  await balancers.ensureLoadBalancerDeleted("c", serviceOf("first"), signal);
  assertEquals(await ensure(["IPv4"]), ["203.0.113.2"]);
  assertEquals(await ensure(["IPv4", "IPv6"]), ["203.0.113.2", "2001:db8::1"]);
  assertEquals(await ensure(["IPv6"]), ["2001:db8::1"]);
});

Deno.test("Balancers: a repeated call with unchanged arguments changes nothing", async () => {
  const { cloud, balancers } = open();
  const ensure = (port: number) =>
    balancers.ensureLoadBalancer("c", serviceOf("s", { spec: { ports: [{ port }] } }), NODES, signal);
  await ensure(80);
  await ensure(80);
  assertEquals(cloud.changes, 1);
  await ensure(81);
  await balancers.updateLoadBalancer("c", serviceOf("s"), NODES, signal);
  assertEquals(cloud.changes, 2);
  await balancers.updateLoadBalancer("c", serviceOf("s"), [], signal);
  assertEquals(cloud.changes, 3);
});

Deno.test("SimulatedCloud: calls through provider complete at once and as a whole, unless an annotation or a fault says otherwise", async () => {
  const { cloud, balancers } = open();
  const made = balancers.ensureLoadBalancer(
    "c",
    serviceOf("s", { spec: { ipFamilies: ["IPv4", "IPv6"] } }),
    [],
    signal,
  );
  await made;
  assertEquals(cloud.balancers.map(({ addresses }) => addresses), [["203.0.113.1", "2001:db8::1"]]);
  const taken = { spec: { ipFamilies: ["IPv6", "IPv4"], loadBalancerIP: "203.0.113.1" } };
  await assertRejects(() => balancers.ensureLoadBalancer("c", serviceOf("t", taken), [], signal), Error, "203.0.113.1");
  assertEquals(cloud.balancers.length, 1, "half a balancer is none");
});
