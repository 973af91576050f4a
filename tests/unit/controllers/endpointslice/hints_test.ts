import { assertAlmostEquals, assertEquals } from "@std/assert";
import { FakeWorld, TurnBudget } from "../../../../src/base/mod.ts";
import type { Endpoint, EndpointSlice, Node } from "../../../../src/api/mod.ts";
import { allocate, isOverloaded } from "../../../../src/controllers/endpointslice/hints/allocations.ts";
import { PopulatedHints } from "../../../../src/controllers/endpointslice/hints/populated_hints.ts";
import { redistribute } from "../../../../src/controllers/endpointslice/hints/redistribution.ts";
import { withTopologyHints } from "../../../../src/controllers/endpointslice/hints/topology_hints.ts";
import { zoneShares } from "../../../../src/controllers/endpointslice/hints/zone_shares.ts";
import { node, pod, pods, service, ServiceRig } from "./service_rig.ts";

const THIRDS = new Map([["za", 0.3], ["zb", 0.4], ["zc", 0.3]]);
const EVEN = new Map([["za", 1 / 3], ["zb", 1 / 3], ["zc", 1 / 3]]);
const AUTO = { annotations: { "service.kubernetes.io/topology-mode": "Auto" } };

function slice(name: string, zones: readonly string[], hints?: readonly string[]): EndpointSlice {
  const endpoints = zones.map((zone, i): Endpoint => ({
    addresses: [`10.0.0.${i}`],
    conditions: { ready: true },
    ...zone && { zone },
    ...hints?.[i] && { hints: { forZones: [{ name: hints[i] }] } },
  }));
  return { metadata: { name }, addressType: "IPv4", endpoints };
}

/** The zones that endpoints are hinted to, `-` for none. */
function hintsOf(slices: readonly EndpointSlice[]): string {
  return slices.flatMap(({ endpoints }) => endpoints ?? []).map(({ hints }) => hints?.forZones?.[0].name ?? "-").join();
}

function sharesOf(...nodes: Node[]): Promise<ReadonlyMap<string, number> | undefined> {
  return new TurnBudget(new FakeWorld().clock).run(zoneShares(nodes));
}

Deno.test("zoneShares counts the CPU of ready nodes, those of the control plane left out", async () => {
  const control = { labels: { "node-role.kubernetes.io/control-plane": "" }, zone: "" };
  const shares = await sharesOf(
    node(0, { cpu: "1500m" }),
    node(1, { cpu: "1" }),
    node(2, { zone: "z1", cpu: "500m" }),
    node(3, { ready: false, zone: "" }),
    node(4, control),
  );
  assertEquals([...shares!], [["z0", 0.5], ["z1", 0.5]]);
  for (
    const bad of [node(5, { zone: "" }), node(5, { cpu: "0" }), {
      ...node(5),
      status: { conditions: [{ type: "Ready", status: "True" }] },
    }]
  ) {
    assertEquals(await sharesOf(node(0), node(1), bad), undefined);
  }
  assertEquals(await sharesOf(node(0), node(1, { zone: "z0" })), undefined, "one zone");
  assertEquals(await sharesOf(), undefined);
});

Deno.test("allocate says how many endpoints a zone is to have, or why there are no hints", () => {
  const { zones } = allocate(10, THIRDS) as {
    zones: ReadonlyMap<string, { desired: number; minimum: number; maximum: number }>;
  };
  assertEquals([...zones.values()].map(({ minimum, maximum }) => [minimum, maximum]), [[3, 3], [4, 4], [3, 3]]);
  assertAlmostEquals(zones.get("zb")!.desired, 4);
  const nodes = "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes";
  assertEquals(allocate(10, undefined).problem, nodes);
  assertEquals(allocate(2, THIRDS).problem, "Insufficient number of endpoints (2 endpoints, 3 zones)");
  const uneven = new Map([["za", 0.05], ["zb", 0.475], ["zc", 0.475]]);
  assertEquals(
    allocate(4, uneven).problem,
    "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (4 endpoints, 3 zones)",
  );
});

Deno.test("redistribute takes from the zone with most too many for that with most too few", () => {
  const allocation = (desired: number) => ({ desired, minimum: 0, maximum: 99 });
  const zones = new Map([["a", allocation(5.1)], ["b", allocation(5.1)], ["c", allocation(5.8)]]);
  const { giving, receiving } = redistribute(zones, new Map([["a", 16]]));
  assertEquals([Object.fromEntries(giving), Object.fromEntries(receiving)], [{ a: 10 }, { b: 5, c: 5 }]);
  const even = redistribute(zones, new Map([["a", 5], ["b", 5], ["c", 6]]));
  assertEquals([even.giving.size, even.receiving.size], [0, 0]);
});

Deno.test("isOverloaded says whether a zone has too few endpoints for its share", () => {
  const halves = new Map([["B", 0.5], ["C", 0.5]]);
  const cases: readonly (readonly [Record<string, number>, boolean])[] = [
    [{ B: 6, C: 4 }, true],
    [{ B: 5, C: 4 }, false],
    [{ B: 9 }, true],
    [{}, false],
  ];
  for (const [counts, expected] of cases) assertEquals(isOverloaded(new Map(Object.entries(counts)), halves), expected);
  assertEquals(isOverloaded(new Map([["B", 1]]), undefined), true);
});

Deno.test("withTopologyHints gives each zone its share, and leaves slices alone whose hints will do", () => {
  const none = { create: [], update: [], unchanged: [] };
  const all = withTopologyHints({ ...none, create: [slice("new", ["za", "za", "za", "za", "zb", "zc"])] }, EVEN);
  assertEquals(hintsOf(all.draft.create), "zb,zc,za,za,zb,zc");
  const right = slice("right", ["za", "zb", "zc"], ["za", "zb", "zc"]);
  const stays = withTopologyHints({ ...none, unchanged: [right] }, EVEN);
  assertEquals([stays.draft.unchanged, stays.draft.update], [[right], []]);
  const wrong = slice("wrong", ["za", "zb", "zc"], ["za", "zb", "elsewhere"]);
  const repaired = withTopologyHints({ ...none, unchanged: [right, wrong] }, EVEN);
  assertEquals([repaired.draft.unchanged, hintsOf(repaired.draft.update)], [[right], "za,zb,zc"]);
  assertEquals(hintsOf([wrong]), "za,zb,elsewhere", "what is cached stays as it is");
});

Deno.test("withTopologyHints takes all hints away and says why, where it cannot be done", () => {
  const hinted = slice("old", ["za", "zb", "zc"], ["za", "zb", "zc"]);
  const few = withTopologyHints({ create: [], update: [], unchanged: [slice("old", ["za"], ["za"])] }, THIRDS);
  assertEquals([few.problem, hintsOf(few.draft.update)], [
    "Insufficient number of endpoints (1 endpoints, 3 zones)",
    "-",
  ]);
  const homeless = withTopologyHints(
    { create: [slice("new", ["za", "zb", ""])], update: [], unchanged: [hinted] },
    EVEN,
  );
  assertEquals(homeless.problem, "One or more endpoints do not have a zone specified");
  assertEquals([hintsOf(homeless.draft.create), hintsOf(homeless.draft.update)], ["-,-,-", "-,-,-"]);
});

Deno.test("PopulatedHints: nodes are looked at before the first answer about shares, and whenever asked to", async () => {
  let nodes = [node(0), node(1)];
  const hints = new PopulatedHints({ world: new FakeWorld(), nodes: { list: () => nodes } });
  assertEquals((await hints.shares())?.size, 2);
  nodes = [node(0), node(1), node(2)];
  assertEquals((await hints.shares())?.size, 2);
  await hints.lookAtNodes();
  assertEquals((await hints.shares())?.size, 3);
});

Deno.test("PopulatedHints: a Service is overloaded while one of its families has too few endpoints in a zone for the zone's share", async () => {
  const hints = new PopulatedHints({ world: new FakeWorld(), nodes: { list: () => [node(0), node(1)] } });
  hints.populate("a/even", "IPv4", new Map([["z0", 5], ["z1", 5]]));
  hints.populate("a/uneven", "IPv4", new Map([["z0", 5], ["z1", 5]]));
  hints.populate("a/uneven", "IPv6", new Map([["z0", 6], ["z1", 4]]));
  assertEquals(await hints.overloaded(), ["a/uneven"]);
  hints.drop("a/uneven", "IPv6");
  assertEquals(await hints.overloaded(), []);
});

Deno.test("PopulatedHints: a Service counts as populated from its first hints on until those of any family are dropped", () => {
  const hints = new PopulatedHints({ world: new FakeWorld(), nodes: { list: () => [] } });
  assertEquals(hints.isPopulated("a/web"), false);
  for (const family of ["IPv4", "IPv6"] as const) hints.populate("a/web", family, new Map([["z0", 1]]));
  assertEquals(hints.isPopulated("a/web"), true);
  hints.drop("a/web", "IPv6");
  assertEquals([hints.isPopulated("a/web"), hints.size], [false, 1]);
  hints.drop("a/web", "IPv4");
  hints.drop("a/never", "IPv4");
  assertEquals(hints.size, 0);
});

Deno.test("PopulatedHints: a Service that is forgotten leaves nothing behind", () => {
  const hints = new PopulatedHints({ world: new FakeWorld(), nodes: { list: () => [] } });
  hints.populate("a/web", "IPv4", new Map([["z0", 1]]));
  hints.forget("a/web");
  assertEquals([hints.size, hints.isPopulated("a/web")], [0, false]);
});

Deno.test("a Service that prefers what is near has hints to zones, and to nodes if it says so", async () => {
  const rig = new ServiceRig();
  rig.nodes.indexer.replace([node(0), node(1), node(2, { zone: "" })], "1");
  const hints = (rig: ServiceRig) =>
    Object.fromEntries(rig.stored[0].endpoints!.map(({ targetRef, hints }) => [targetRef!.name, hints]));
  const [z0, z1] = ["z0", "z1"].map((name) => ({ forZones: [{ name }] }));
  for (const trafficDistribution of ["PreferClose", "PreferSameZone"]) {
    rig.show(service({ trafficDistribution }), [...pods(3), pod(4, { ready: false })]);
    await rig.sync();
    assertEquals(hints(rig), { p0: z0, p1: z1, p2: undefined, p4: undefined });
  }
  rig.show(service({ trafficDistribution: "PreferSameNode" }));
  await rig.sync();
  const forNodes = (i: number) => ({ forNodes: [{ name: `n${i}` }] });
  assertEquals(hints(rig), {
    p0: { ...z0, ...forNodes(0) },
    p1: { ...z1, ...forNodes(1) },
    p2: forNodes(2),
    p4: undefined,
  });
  assertEquals(await rig.sync(), []);
  rig.show(service({ trafficDistribution: "Unknown" }));
  await rig.sync();
  assertEquals(Object.values(hints(rig)), [undefined, undefined, undefined, undefined]);
});

Deno.test("the annotation is stronger than the field, and its end is announced as its begin is", async () => {
  const rig = new ServiceRig();
  rig.nodes.indexer.replace([node(0), node(1), node(2)], "1");
  const all = pods(6, { node: "n0" });
  rig.show(service({ metadata: AUTO, trafficDistribution: "PreferClose" }), all);
  await rig.sync();
  assertEquals(hintsOf(rig.stored).split(",").sort().join(), "z0,z0,z1,z1,z2,z2");
  assertEquals(await rig.sync(), []);
  rig.show(
    service({
      metadata: { annotations: { "service.kubernetes.io/topology-aware-hints": "no", ...AUTO.annotations } },
      trafficDistribution: "PreferClose",
    }),
  );
  await rig.sync();
  assertEquals(hintsOf(rig.stored), "z0,z0,z0,z0,z0,z0");
  assertEquals(rig.recorder.lines, [
    "Normal TopologyAwareHintsEnabled a/web Topology Aware Hints has been enabled, addressType: IPv4",
    "Warning TopologyAwareHintsDisabled a/web Topology Aware Hints has been disabled, addressType: IPv4",
  ]);
});
