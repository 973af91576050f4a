import { assertEquals } from "@std/assert";
import { PODS } from "../../../../src/api/mod.ts";
import { syncPod } from "../../../../src/controllers/node_lifecycle/pod_sync.ts";
import { statusError } from "../status_errors.ts";
import { LifecycleRig, node, pod } from "./lifecycle_rig.ts";

const NOT_READY = [{ key: "node.kubernetes.io/not-ready", effect: "NoExecute" }];
const UNREACHABLE = [{ key: "node.kubernetes.io/unreachable", effect: "NoExecute" }];

/** A rig with a node `a` that falls silent and one that goes on, looked at once. */
async function begun(options: ConstructorParameters<typeof LifecycleRig>[0] = {}): Promise<LifecycleRig> {
  const rig = new LifecycleRig(options);
  rig.begin(node("a"), node("well"));
  await rig.pass(0);
  return rig;
}

/** Lets 50 s pass in which one node gives a sign of life, and looks. */
async function silence(rig: LifecycleRig): Promise<void> {
  await rig.advance(49);
  rig.renew("well");
  await rig.pass(1);
}

Deno.test("HealthMonitor: a node that has been silent for longer than its grace is made Unknown; its pods are no longer ready, which events tell", async () => {
  const rig = await begun();
  rig.beginPods(pod("p", "a"), pod("ended", "a", "False"), pod("q", "well"));
  await silence(rig);
  assertEquals([rig.ready("a"), rig.ready("well")], ["Unknown", "True"]);
  assertEquals(rig.client.writes, ["patch nodes/status a", "put pods/status a/p"]);
  assertEquals(rig.client.find(PODS, "a/p")?.status?.conditions?.[0].status, "False");
  assertEquals(rig.events, ["RegisteredNode a", "RegisteredNode well", "NodeNotReady a", "NodeNotReady p"]);
  await rig.pass(60);
  assertEquals(rig.client.writes.slice(2), ["patch nodes/status well", "put pods/status a/q"], "nothing is said twice");
});

Deno.test("HealthMonitor: a node that is not ready waits to be tainted; one with the opposite taint is tainted at once; one that is ready is released", async () => {
  const rig = await begun();
  rig.say("a", "False");
  await rig.pass(1);
  assertEquals(rig.client.writes, []);
  await rig.taint(1);
  assertEquals(rig.taints("a"), ["not-ready:NoExecute"]);
  rig.say("a", "Unknown");
  await rig.pass(1);
  assertEquals(rig.taints("a"), ["unreachable:NoExecute"]);
  rig.say("a", "True");
  await rig.pass(1);
  assertEquals(rig.taints("a"), []);
  assertEquals(rig.metrics.render().match(/evictions_total.* (\d)/)?.[1], "1");
});

Deno.test("HealthMonitor: a node that recovers before its turn is not tainted", async () => {
  const rig = await begun();
  rig.say("a", "False");
  await rig.pass(1);
  rig.say("a", "True");
  await rig.taint(20);
  await rig.pass(1);
  assertEquals(rig.client.writes, []);
});

Deno.test("HealthMonitor: a node that is tainted already is not tainted again after a start", async () => {
  const rig = new LifecycleRig();
  rig.begin(node("a", { ready: "False", taints: NOT_READY }), node("well"));
  rig.client.fail("get nodes a", statusError(500, "InternalError")); // it would be released, as upstream releases it
  await rig.pass(0);
  await rig.taint(60);
  assertEquals(rig.client.writes, []);
});

Deno.test("HealthMonitor: what cannot be written is tried five times with the node as the API server has it; then the node waits for the next pass", async () => {
  const rig = await begun();
  rig.client.fail("patch nodes/status a", statusError(500, "InternalError"), { times: 5 });
  await silence(rig);
  assertEquals(rig.client.calls.map(({ text }) => text).slice(0, 4), [
    "get nodes a",
    "patch nodes/status a",
    "get nodes a",
    "patch nodes/status a",
  ]);
  assertEquals([rig.client.writes.length, rig.ready("a")], [5, "True"]);
  assertEquals(rig.metrics.render().includes('zone_size{zone=":\0:z"} 1'), true, "it does not count meanwhile");
  rig.renew("well");
  await rig.pass(1);
  assertEquals(rig.ready("a"), "Unknown");
});

Deno.test("HealthMonitor: if no node is healthy any more, all are released and none is tainted until one is healthy; then all get their full grace period again", async () => {
  const rig = new LifecycleRig();
  rig.begin(node("a"), node("b", { zone: "y", ready: "False", taints: NOT_READY }), node("c", { zone: "y" }));
  await rig.pass(0);
  await rig.taint(1);
  assertEquals(rig.taints("b"), ["not-ready:NoExecute"]);
  await rig.pass(51);
  assertEquals(["a", "b", "c"].map((name) => rig.ready(name)), ["Unknown", "Unknown", "Unknown"]);
  await rig.taint(60);
  assertEquals(["a", "b", "c"].map((name) => rig.taints(name)), [[], [], []]);
  rig.say("a", "True");
  await rig.pass(1);
  const probes = [...rig.context.healths.values()].map(({ probedMs }) => probedMs);
  assertEquals(probes, Array(3).fill(Math.max(...probes)));
  await rig.taint(9);
  assertEquals(rig.taints("c"), [], "the token of its zone has to come first");
  await rig.taint(2);
  await rig.taint(10);
  assertEquals([rig.taints("b"), rig.taints("c")].flat().length, 2);
});

Deno.test("HealthMonitor: pods of a node that is Unknown when it is first seen are marked: the process before may have ended", async () => {
  const rig = new LifecycleRig();
  rig.begin(node("a", { ready: "Unknown" }), node("ill", { ready: "False" }), node("well"));
  rig.beginPods(pod("p", "a"), pod("marked", "a", "False"), pod("q", "ill"), pod("r", "well"));
  await rig.pass(0);
  rig.beginPods(pod("later", "a"));
  await rig.pass(1);
  assertEquals(rig.client.writes.filter((text) => text.includes("pods")), ["put pods/status a/p"]);
});

Deno.test("HealthMonitor: pods that could not be marked are marked in the next pass", async () => {
  const rig = await begun();
  rig.beginPods(pod("p", "a"), pod("q", "a"));
  rig.client.fail("put pods/status a/p", statusError(500, "InternalError"), { times: 1 });
  await silence(rig);
  assertEquals([...rig.context.unmarked], ["a"]);
  assertEquals(rig.events.slice(2), ["NodeNotReady a", "NodeNotReady p", "NodeNotReady q"], "told as upstream tells");
  rig.renew("well");
  await rig.pass(1);
  assertEquals(rig.client.find(PODS, "a/p")?.status?.conditions?.[0].status, "False");
  assertEquals([...rig.context.unmarked], []);
});

Deno.test("HealthMonitor: a pod that is gone does not cause the others to be marked again", async () => {
  const rig = await begun();
  rig.beginPods(pod("p", "a"));
  rig.client.fail("put pods/status a/p", statusError(404, "NotFound"));
  await silence(rig);
  assertEquals([[...rig.context.unmarked], rig.events.slice(2)], [[], ["NodeNotReady a"]]);
});

Deno.test("HealthMonitor: only time in which this process runs counts", async () => {
  const rig = await begun();
  await rig.world.clock.advance(3_600_000); // nobody looks
  await rig.pass(0);
  assertEquals(rig.client.writes, []);
  await rig.pass(40);
  assertEquals(rig.client.writes, []);
  await rig.pass(5);
  assertEquals(rig.ready("a"), "Unknown");
});

Deno.test("HealthMonitor: a late node that the API server could not be asked about gets its full grace period again when it can", async () => {
  const rig = await begun();
  const away = new TypeError("connection refused");
  rig.client.fail("get nodes", away, { times: 2 });
  await rig.pass(51);
  await rig.pass(600);
  await rig.pass(5);
  await rig.pass(48);
  assertEquals([rig.client.writes, rig.ready("a")], [[], "True"]);
  // The watch of leases may come back a minute after the server: it waits up to 60 s between two tries.
  await rig.pass(59);
  assertEquals([rig.client.writes, rig.ready("a")], [[], "True"]);
  rig.renew("well");
  await rig.pass(2);
  assertEquals([rig.ready("a"), rig.ready("well")], ["Unknown", "True"]);
  await rig.pass(51);
  assertEquals(rig.ready("well"), "Unknown", "who was heard of has no more than its grace");
});

Deno.test("HealthMonitor: time in which the API server does not answer counts for no node, once a node is halfway to being late", async () => {
  const rig = await begun();
  for (const name of ["a", "well"]) rig.renew(name);
  await rig.pass(1);
  await rig.pass(20);
  rig.client.fail("get nodes", new TypeError("connection refused"), { times: 4 });
  for (let i = 0; i < 4; i++) await rig.pass(5);
  await rig.pass(20);
  assertEquals([rig.client.writes, rig.ready("a"), rig.ready("well")], [[], "True", "True"]);
  rig.renew("well");
  await rig.pass(45);
  assertEquals([rig.ready("a"), rig.ready("well")], ["True", "True"]);
  await rig.pass(10);
  assertEquals([rig.ready("a"), rig.ready("well")], ["Unknown", "True"], "silent for longer than its grace after it");
});

Deno.test("HealthMonitor: time in which the API server does not answer counts for no node, once a node is halfway to being late, and nothing is asked while all are heard of", async () => {
  const rig = await begun();
  for (let i = 0; i < 20; i++) {
    for (const name of ["a", "well"]) rig.renew(name);
    await rig.pass(10);
  }
  assertEquals(rig.client.calls, []);
});

Deno.test("HealthMonitor: a server that fails to answer hides no dead node while others are heard of", async () => {
  const rig = await begun();
  rig.client.fail("get nodes", new TypeError("connection refused"), { times: 100 });
  for (let i = 0; i < 10; i++) {
    rig.renew("well");
    await rig.pass(4);
  }
  rig.renew("well");
  await rig.pass(4);
  assertEquals([rig.ready("a"), rig.ready("well")], ["Unknown", "True"]);
});

Deno.test("HealthMonitor: while the server is away, one node of all is asked for in a pass", async () => {
  const rig = new LifecycleRig();
  rig.begin(...["a", "b", "c", "d"].map((name) => node(name)));
  await rig.pass(0);
  rig.client.fail("get nodes", new TypeError("connection refused"), { times: 100 });
  for (let i = 0; i < 3; i++) await rig.pass(59);
  assertEquals(rig.client.calls.map(({ text }) => text), Array(3).fill("get nodes a"));
});

Deno.test("HealthMonitor: a node that was heard of after an outage has no more than its grace from then on", async () => {
  const rig = await begun();
  const away = new TypeError("connection refused");
  rig.client.fail("get nodes", away, { times: 1 });
  await rig.pass(51);
  for (const name of ["a", "well"]) rig.renew(name);
  await rig.pass(1);
  await rig.advance(49);
  rig.renew("well");
  await rig.pass(2);
  assertEquals([rig.ready("a"), rig.ready("well")], ["Unknown", "True"]);
});

Deno.test("HealthMonitor: nobody is tainted in the five seconds after this process did not run", async () => {
  const rig = await begun();
  rig.say("a", "False");
  await rig.pass(1);
  await rig.world.clock.advance(3_600_000);
  await rig.taint(4);
  assertEquals(rig.taints("a"), []);
  await rig.taint(3);
  assertEquals(rig.taints("a"), ["not-ready:NoExecute"]);
});

Deno.test("HealthMonitor: a node that says Unknown of itself is tainted, and its pods are left as they are", async () => {
  const rig = await begun();
  rig.beginPods(pod("p", "a"));
  rig.say("a", "Unknown");
  await rig.pass(1);
  await rig.taint(1);
  assertEquals(rig.taints("a"), ["unreachable:NoExecute"]);
  assertEquals(rig.client.writes, ["patch nodes a"]);
});

Deno.test("HealthMonitor: a node that is excluded does not keep its zone from being disrupted", async () => {
  const rig = new LifecycleRig();
  const labels = { "node.kubernetes.io/exclude-disruption": "" };
  rig.begin(node("a", { ready: "False", taints: UNREACHABLE }), node("b", { labels }));
  await rig.pass(0);
  assertEquals(rig.taints("a"), [], "no node that counts is well: all are released");
  await rig.pass(1);
  await rig.taint(60);
  assertEquals(rig.taints("a"), []);
});

Deno.test("HealthMonitor: what is known of a node goes with it", async () => {
  const rig = await begun();
  assertEquals(rig.context.healths.size, 2);
  rig.nodes.delete(rig.nodes.get("a")!);
  await rig.pass(1);
  assertEquals([...rig.context.healths.keys()], ["well"]);
  assertEquals(rig.events.at(-1), "RemovingNode a");
});

Deno.test("syncPod: a pod that is bound to a node which is not ready is not ready either", async () => {
  const rig = await begun();
  await silence(rig);
  rig.beginPods(pod("p", "a"), pod("q", "well"), pod("r", "unknown"));
  for (const key of ["a/p", "a/q", "a/r", "a/gone"]) await syncPod(key, rig.context);
  assertEquals(rig.client.writes.slice(1), ["put pods/status a/p"]);
  assertEquals(rig.events.at(-1), "NodeNotReady p");
});
