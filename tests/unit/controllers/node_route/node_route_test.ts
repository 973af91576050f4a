import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { MetricsRegistry } from "../../../../src/base/mod.ts";
import { type Node, type NodeAddress, NODES } from "../../../../src/api/mod.ts";
import { CloudConflictError, type CloudRoute } from "../../../../src/cloud/mod.ts";
import { clusterCidrs } from "../../../../src/controllers/address_ranges/mod.ts";
import { buildNodeRoute, type RouteOptions } from "../../../../src/controllers/node_route/controller.ts";
import { isWithin } from "../../../../src/controllers/node_route/plan.ts";
import { reconcileRoutes } from "../../../../src/controllers/node_route/reconcile.ts";
import { FakeInformer } from "../garbage_collector/fake_informer.ts";
import { CloudRig } from "../cloud_rig.ts";
import { fakeContext } from "../context.ts";
import { statusError } from "../status_errors.ts";

const address = (ip: string): NodeAddress => ({ type: "InternalIP", address: ip });
const NOW = "2026-01-01T00:00:00Z";

function condition(isUnavailable: boolean, reason = isUnavailable ? "NoRouteCreated" : "RouteCreated") {
  return { type: "NetworkUnavailable", status: isUnavailable ? "True" : "False", reason };
}

function node(name: string, podCIDRs: readonly string[], status: Node["status"] = {}): Node {
  return { metadata: { name }, spec: { podCIDRs: [...podCIDRs], podCIDR: podCIDRs[0] }, status };
}

const settled = (name: string, ...ranges: string[]) => node(name, ranges, { conditions: [condition(false)] });
const route = (targetNode: string, destinationCIDR: string, more: Partial<CloudRoute> = {}): CloudRoute => ({
  name: `${targetNode}-${destinationCIDR}`,
  targetNode,
  destinationCIDR,
  ...more,
});

class Rig extends CloudRig {
  passes = 0;

  async pass(clusterRanges = "10.120.0.0/16,fd00::/48"): Promise<void> {
    await reconcileRoutes({
      ...this,
      routes: this.routes,
      clusterName: "kubernetes",
      clusterRanges: clusterCidrs(clusterRanges),
      onPass: () => this.passes++,
    }, new AbortController().signal);
  }

  /** What was asked of the cloud but the list: `deleteRoute 10.120.0.0/24`. */
  get asked(): string[] {
    return this.cloud.asked("createRoute", "deleteRoute").map(({ method, about }) => `${method} ${about}`);
  }

  unavailable(name: string): string | undefined {
    return this.node(name).status?.conditions?.find(({ type }) => type === "NetworkUnavailable")?.status;
  }
}

interface Row {
  readonly nodes: readonly Node[];
  readonly routes?: readonly CloudRoute[];
  readonly asked: readonly string[];
  /** By node: whether its network is unavailable, if it says. */
  readonly becomes: Readonly<Record<string, "True" | "False" | undefined>>;
}

const [A, B] = ["10.120.0.0/24", "10.120.1.0/24"];
const SIX = "fd00:0:0:1::/64";

const ROWS: Readonly<Record<string, Row>> = {
  "two nodes whose routes are there": {
    nodes: [node("a", [A]), node("b", [B])],
    routes: [route("a", A), route("b", B)],
    asked: [],
    becomes: { a: "False", b: "False" },
  },
  "two nodes without routes": {
    nodes: [node("a", [A]), node("b", [B])],
    asked: [`createRoute ${A}`, `createRoute ${B}`],
    becomes: { a: "False", b: "False" },
  },
  "two nodes of which one has its route": {
    nodes: [node("a", [A]), node("b", [B])],
    routes: [route("a", A)],
    asked: [`createRoute ${B}`],
    becomes: { a: "False", b: "False" },
  },
  "routes to nodes that nobody knows": {
    nodes: [settled("a", A)],
    routes: [route("a", A), route("x", B), route("", "10.120.2.0/24")],
    asked: [`deleteRoute ${B}`, "deleteRoute 10.120.2.0/24"],
    becomes: { a: "False" },
  },
  "a route of another range to a node": {
    nodes: [settled("a", A)],
    routes: [route("a", B)],
    asked: [`deleteRoute ${B}`, `createRoute ${A}`],
    becomes: { a: "False" },
  },
  "a node without ranges and without routes": { nodes: [node("a", [])], asked: [], becomes: { a: undefined } },
  "a node without ranges and with a route": {
    nodes: [node("a", [])],
    routes: [route("a", A)],
    asked: [`deleteRoute ${A}`],
    becomes: { a: "True" },
  },
  "routes into nothing, of the cluster's and of others": {
    nodes: [],
    routes: [route("", A, { blackhole: true }), route("", "10.121.0.0/24", { blackhole: true })],
    asked: [`deleteRoute ${A}`],
    becomes: {},
  },
  "a route to other addresses than the node's": {
    nodes: [node("a", [A], { addresses: [address("10.0.0.2")] })],
    routes: [route("a", A, { enableNodeAddresses: true, targetNodeAddresses: [address("10.0.0.1")] })],
    asked: [`deleteRoute ${A}`, `createRoute ${A}`],
    becomes: { a: "False" },
  },
  "a route whose addresses do not matter": {
    nodes: [node("a", [A], { addresses: [address("10.0.0.2")] })],
    routes: [route("a", A, { targetNodeAddresses: [address("10.0.0.1")] })],
    asked: [],
    becomes: { a: "False" },
  },
  "a node of two families with one route": {
    nodes: [node("a", [A, SIX])],
    routes: [route("a", A)],
    asked: [`createRoute ${SIX}`],
    becomes: { a: "False" },
  },
  "a range that the cloud writes in another way": {
    nodes: [node("a", [SIX])],
    routes: [route("a", "fd00:0:0:1:0::/64")],
    asked: ["deleteRoute fd00:0:0:1:0::/64", `createRoute ${SIX}`],
    becomes: { a: "False" },
  },
  "a condition that somebody else wrote": {
    nodes: [node("a", [A], { conditions: [condition(false, "CalicoIsUp")] })],
    routes: [route("a", A)],
    asked: [],
    becomes: { a: "False" },
  },
  "a route that nobody can read": {
    nodes: [settled("a", A)],
    routes: [route("a", A), route("x", "everything")],
    asked: [],
    becomes: { a: "False" },
  },
};

for (const [what, { nodes, routes = [], asked, becomes }] of Object.entries(ROWS)) {
  Deno.test(`Routes: ${what}`, async () => {
    const rig = new Rig();
    rig.add(...nodes);
    rig.cloud.routes = [...routes];
    await rig.pass();
    assertEquals(rig.asked, [...asked]);
    for (const [name, status] of Object.entries(becomes)) assertEquals(rig.unavailable(name), status, name);
    rig.show();
    rig.client.calls.length = rig.cloud.requests.length = 0;
    await rig.pass();
    assertEquals([rig.client.writes, rig.asked.filter((text) => text.startsWith("create"))], [[], []]);
  });
}

Deno.test("Routes: a condition that fits is not written again, one with another reason is", async () => {
  const rig = new Rig();
  rig.add(settled("a", A), node("b", [B], { conditions: [condition(false, "CalicoIsUp")] }));
  rig.cloud.routes = [route("a", A), route("b", B)];
  await rig.pass();
  assertEquals(rig.client.writes, ["patch nodes/status b"]);
  assertEquals(rig.client.bodies("patch"), [{
    metadata: { uid: "uid-b" },
    status: {
      conditions: [{
        ...condition(false),
        message: "RouteController created a route",
        lastHeartbeatTime: NOW,
        lastTransitionTime: NOW,
      }],
    },
  }]);
});

Deno.test("Routes: what cannot be made is told of, and the node says that it cannot be reached", async () => {
  const rig = new Rig();
  rig.add(node("a", [A]));
  rig.cloud.failures.set("createRoute", new Error("no luck"));
  await rig.pass();
  assertEquals(rig.events, [
    `Warning FailedToCreateRoute a: Could not create route uid-a ${A} for node a after 0s: no luck`,
  ]);
  assertEquals(rig.unavailable("a"), "True");
});

Deno.test("Routes: who is told that others are at it tries again at once, five times in all", async () => {
  for (const [failures, events, status] of [[1, 1, "False"], [4, 4, "False"], [9, 5, "True"]] as const) {
    const rig = new Rig();
    rig.add(node("a", [A]));
    let left: number = failures;
    rig.cloud.failures.set("createRoute", () => left-- > 0 ? new CloudConflictError("locked") : undefined);
    const passing = rig.pass();
    await rig.world.clock.advance(5_000);
    await passing;
    assertEquals([rig.events.length, rig.unavailable("a")], [events, status]);
  }
});

Deno.test("Routes: nothing is done if they cannot be listed", async () => {
  const rig = new Rig();
  rig.add(node("a", [A]));
  rig.cloud.failures.set("listRoutes", new Error("no luck"));
  await assertRejects(() => rig.pass(), Error, "error listing routes: no luck");
  assertEquals([rig.asked, rig.client.writes, rig.passes], [[], [], 1]);
});

Deno.test("Routes: a route that cannot be removed does not keep others from being made", async () => {
  const rig = new Rig();
  rig.add(node("a", [A]));
  rig.cloud.routes = [route("x", B, { enableNodeAddresses: true })];
  rig.cloud.failures.set("deleteRoute", new Error("no luck"));
  await rig.pass();
  assertEquals(rig.asked, [`deleteRoute ${B}`, `createRoute ${A}`]);
  assertEquals(rig.unavailable("a"), "False");
});

Deno.test("Routes: a condition that cannot be written is written in the next pass, unless the node was replaced", async () => {
  const rig = new Rig();
  rig.add(node("a", [A]), node("b", [B]));
  rig.client.fail("patch nodes/status a", statusError(500, "InternalError"), { times: 1 });
  rig.client.store(NODES, { metadata: { name: "b", uid: "another" } });
  const passing = rig.pass();
  await rig.world.clock.advance(5_000);
  await passing;
  assertEquals([rig.unavailable("a"), rig.unavailable("b")], [undefined, undefined]);
  await rig.pass();
  assertEquals(rig.unavailable("a"), "False");
});

Deno.test("Routes: whose they are is told by their first and last address", () => {
  for (
    const [cluster, range, is] of [
      ["10.244.0.0/16", "10.244.255.0/24", true],
      ["10.244.0.0/16", "10.243.255.0/24", false],
      ["10.244.0.0/24", "10.244.0.0/16", true],
      ["10.244.5.0/24", "10.244.0.0/16", false],
      ["a00:100::/10", "a00:100::/24", true],
      ["a00:100::/10", "b00:100::/24", false],
      ["10.244.0.0/16", "nonsense", false],
    ] as const
  ) {
    assertEquals(isWithin(range, clusterCidrs(cluster)), is, `${cluster} ${range}`);
  }
});

/** The controller on a fake informer. */
function build(options: Partial<RouteOptions>, { gates = [] as string[], rig = new Rig(), hasCloud = true } = {}) {
  const informer = Object.assign(new FakeInformer<Node>(), { hasSynced: true, whenSynced: Promise.resolve() });
  const context = fakeContext({ world: rig.world, client: rig.client, informers: [[NODES, informer]] });
  const controller = buildNodeRoute(
    {
      ...context,
      program: "cloud-controller-manager",
      metrics: new MetricsRegistry(),
      gates: new Set(gates),
      recorder: () => rig.recorder,
      cloud: hasCloud ? rig.cloud.provider : { name: "fake", hasClusterId: true },
    },
    { configures: true, periodMs: 10_000, clusterName: "kubernetes", clusterRanges: "10.120.0.0/16", ...options },
  );
  return { rig, informer, controller };
}

Deno.test("Routes are not configured if nobody wants it or the cloud has none", () => {
  assertEquals(build({ configures: false }).controller, undefined);
  assertEquals(build({}, { hasCloud: false }).controller, undefined);
});

Deno.test("Routes are not configured without knowing whose they are", () => {
  assertThrows(() => build({ clusterRanges: "" }), Error, "invalid CIDR[] in --cluster-cidr");
  assertThrows(() => build({ clusterRanges: "10.0.0.0/8,11.0.0.0/8" }), Error, "not configured as dual stack");
});

Deno.test("Routes are looked at every ten seconds, counted from the beginning of a pass", async () => {
  const { rig, controller } = build({});
  const stop = new AbortController();
  const running = controller!.run(stop.signal);
  const lists = () => rig.cloud.asked("listRoutes").length;
  await rig.world.clock.advance(0);
  assertEquals(lists(), 1);
  await rig.world.clock.advance(9_999);
  assertEquals(lists(), 1);
  await rig.world.clock.advance(1);
  assertEquals(lists(), 2);
  stop.abort();
  await running;
});

Deno.test("Routes are looked at when nodes change, every ten seconds at the most, if the gate says so", async () => {
  const { rig, informer, controller } = build({}, { gates: ["CloudControllerManagerWatchBasedRoutesReconciliation"] });
  const stop = new AbortController();
  const running = controller!.run(stop.signal);
  const lists = () => rig.cloud.asked("listRoutes").length;
  await rig.world.clock.advance(60_000);
  assertEquals(lists(), 0);
  const before = node("a", [A], { conditions: [condition(true)] });
  informer.add(before);
  await rig.world.clock.advance(0);
  assertEquals(lists(), 1);
  informer.update({
    ...before,
    metadata: { name: "a", resourceVersion: "2" },
    status: { conditions: [condition(false)] },
  });
  await rig.world.clock.advance(60_000);
  assertEquals(lists(), 1, "conditions are of no concern");
  for (const i of [3, 4, 5]) {
    const changed = node("a", [A], { addresses: [address(`10.0.0.${i}`)] });
    informer.update({ ...changed, metadata: { name: "a", resourceVersion: `${i}` } });
    await rig.world.clock.advance(100);
  }
  await rig.world.clock.advance(10_000);
  assertEquals(lists(), 3);
  stop.abort();
  await running;
});

Deno.test("Routes: at most 200 calls to the cloud are under way at a time", async () => {
  const rig = new Rig();
  const range = (i: number) => `10.120.${i >> 4}.${(i & 15) * 16}/28`;
  rig.add(...Array.from({ length: 500 }, (_, i) => node(`n${i}`, [range(i)])));
  let [running, most] = [0, 0];
  const routes = {
    ...rig.routes,
    createRoute: async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => rig.world.clock.setTimer(1_000, resolve));
      running--;
    },
  };
  const passing = reconcileRoutes({
    ...rig,
    routes,
    clusterName: "kubernetes",
    clusterRanges: clusterCidrs("10.120.0.0/16"),
    onPass: () => {},
  }, new AbortController().signal);
  await rig.world.clock.advance(3_000);
  await passing;
  assertEquals([most, running], [200, 0]);
  assertEquals(rig.client.writes.length, 500);
});
