import { assertEquals, assertThrows } from "@std/assert";
import { FakeClock } from "../../../../src/base/mod.ts";
import type { Pod, Taint, Toleration } from "../../../../src/api/mod.ts";
import { allowsSurge, updateBounds } from "../../../../src/controllers/daemonset/bounds.ts";
import { byPrecedence, groupByNode, targetNode } from "../../../../src/controllers/daemonset/daemon_pods.ts";
import { eligibilityOf } from "../../../../src/controllers/daemonset/eligibility.ts";
import { FailedPodBackoff } from "../../../../src/controllers/daemonset/failed_pod_backoff.ts";
import { planCleanup } from "../../../../src/controllers/daemonset/history.ts";
import { isPodUpdated, templateGeneration } from "../../../../src/controllers/daemonset/new_pod.ts";
import { type NodeView, planNode } from "../../../../src/controllers/daemonset/node_plan.ts";
import { planRollingUpdate } from "../../../../src/controllers/daemonset/rolling_update.ts";
import { countNodes } from "../../../../src/controllers/daemonset/status.ts";
import { daemonTolerations } from "../../../../src/controllers/daemonset/tolerations.ts";
import { ago, NOW_MS } from "../fake_times.ts";
import { daemonSet, hash, node, nodes, pod, revision, rolling, template } from "./fixtures.ts";

const DELETING = "2026-01-01T00:00:00Z";
const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata!.name!);

const VIEW: NodeView = {
  shouldRun: true,
  shouldContinue: true,
  hash: hash("i:2"),
  minReadySeconds: 0,
  allowsSurge: true,
  isHeldBack: false,
  nowMs: NOW_MS,
};

Deno.test("planNode() with surge deletes of two old pods the younger one, while the new one is not ready", () => {
  const pods = [
    pod("new", "n", { image: "i:2", readyFor: null }),
    pod("old", "n", { creationTimestamp: ago(9000) }),
    pod("younger", "n", { creationTimestamp: ago(60) }),
  ];
  assertEquals(names(planNode(pods, VIEW).deleted), ["younger"]);
});

Deno.test("planNode() wants a pod where there is none, and no more", () => {
  const nothing = { deleted: [], failed: undefined, succeeded: [], isHolding: false };
  assertEquals(planNode(undefined, VIEW), { ...nothing, isNeeded: true });
  assertEquals(planNode(undefined, { ...VIEW, shouldRun: false }), { ...nothing, isNeeded: false });
});

Deno.test("planNode() with surge keeps of old pods the oldest, ready or not, while there is no new one", () => {
  const pods = [pod("oldest", "n", { readyFor: null, creationTimestamp: ago(9000) }), pod("younger", "n")];
  assertEquals(names(planNode(pods, VIEW).deleted), ["younger"]);
});

Deno.test("planNode() with surge deletes the old pod when it is not ready, or when the new one is available", () => {
  const fresh = (readyFor: number | null) => pod("new", "n", { image: "i:2", readyFor });
  const deleted = (pods: Pod[], minReadySeconds = 0) => names(planNode(pods, { ...VIEW, minReadySeconds }).deleted);
  assertEquals(deleted([fresh(null), pod("old", "n", { readyFor: null })]), ["old"]);
  assertEquals(deleted([fresh(10), pod("old", "n")], 15), []);
  assertEquals(deleted([fresh(20), pod("old", "n")], 15), ["old"]);
});

Deno.test("planNode() clears a node that is out of favour, but for what is going already", () => {
  const pods = [pod("a", "n"), pod("b", "n", { deletionTimestamp: DELETING })];
  const plan = planNode(pods, { ...VIEW, shouldRun: false, shouldContinue: false });
  assertEquals([names(plan.deleted), plan.isNeeded], [["a"], false]);
});

Deno.test("planNode() deletes one failed pod at a time, and none while it is held back", () => {
  const pods = [pod("a", "n", { phase: "Failed" }), pod("b", "n", { phase: "Failed" })];
  const plan = planNode(pods, VIEW);
  assertEquals([names(plan.deleted), plan.isHolding], [["a"], true]);
  const held = planNode(pods, { ...VIEW, isHeldBack: true });
  assertEquals([names(held.deleted), held.isHolding], [[], true]);
});

/** Pods of a number of nodes, one each. */
function onNodes(count: number, traitsOf: (i: number) => Parameters<typeof pod>[2]): Map<string, Pod[]> {
  return new Map(Array.from({ length: count }, (_, i) => [`n${i}`, [pod(`p${i}`, `n${i}`, traitsOf(i))]]));
}

function plan(pods: Map<string, Pod[]>, bounds: ReturnType<typeof rolling>, ineligible: readonly string[] = []) {
  const set = daemonSet({ ...bounds, image: "i:2" });
  const desired = pods.size - ineligible.length;
  const { deleted, needing } = planRollingUpdate(pods, {
    ...updateBounds(set, desired),
    daemonSet: set,
    hash: hash("i:2"),
    desired,
    eligibilityOf: (name) => ({ shouldRun: !ineligible.includes(name), shouldContinue: true }),
    nowMs: NOW_MS,
  });
  return { deleted: names(deleted), needing };
}

Deno.test("planRollingUpdate() deletes all old pods that do not serve, whatever the bound", () => {
  const pods = onNodes(5, () => ({ readyFor: null }));
  assertEquals(plan(pods, rolling(1)).deleted.length, 5);
});

Deno.test("planRollingUpdate() spends what may be unavailable on pods that are so anyway", () => {
  const pods = () => onNodes(20, (i) => i < 10 ? {} : { readyFor: null });
  for (let most = 1; most < 10; most++) assertEquals(plan(pods(), rolling(most)).deleted.length, 10);
  assertEquals(plan(pods(), rolling(11)).deleted.length, 11);
});

Deno.test("planRollingUpdate() counts nodes without pods, and with too many, as unavailable", () => {
  const pods = onNodes(3, () => ({}));
  pods.set("empty", []);
  assertEquals(plan(pods, rolling(1)).deleted, []);
  pods.set("empty", [pod("x", "empty", { image: "i:2" })]);
  assertEquals(plan(pods, rolling(1)).deleted, ["p0"]);
  pods.set("crowded", [pod("y", "crowded"), pod("z", "crowded")]);
  assertEquals(plan(pods, rolling(1)).deleted, []);
});

Deno.test("planRollingUpdate() with surge makes successors: for pods that do not serve always, for others up to the bound", () => {
  const pods = onNodes(5, (i) => i === 4 ? { readyFor: null } : {});
  assertEquals(plan(pods, rolling(0, 2)), { deleted: [], needing: ["n4", "n0", "n1"] });
});

Deno.test("planRollingUpdate() with surge counts successors on their way, and deletes what they have replaced", () => {
  const pods = onNodes(4, () => ({}));
  pods.get("n0")!.push(pod("s0", "n0", { image: "i:2" }));
  pods.get("n1")!.push(pod("s1", "n1", { image: "i:2", readyFor: null }));
  assertEquals(plan(pods, rolling(0, 2)), { deleted: ["p0"], needing: ["n2"] });
});

Deno.test("planRollingUpdate() with surge deletes on a node out of favour only what the others can spare", () => {
  const five = onNodes(5, () => ({}));
  assertEquals(plan(five, rolling(0, 1), ["n0"]), { deleted: ["p0"], needing: ["n1"] });
  const four = onNodes(5, (i) => i === 1 ? { readyFor: null } : {});
  assertEquals(plan(four, rolling(0, 1), ["n0"]), { deleted: [], needing: ["n1", "n2"] });
  const broken = onNodes(5, (i) => i === 0 ? { readyFor: null } : {});
  assertEquals(plan(broken, rolling(0, 1), ["n0"]).deleted, ["p0"]);
});

Deno.test("updateBounds() rounds percentages up, and lets one pod be unavailable where nothing else goes", () => {
  const bounds = (set: ReturnType<typeof rolling>, desired: number) => updateBounds(daemonSet(set), desired);
  assertEquals(bounds(rolling("50%"), 2), { maxUnavailable: 1, maxSurge: 0 });
  assertEquals(bounds(rolling("50%"), 3), { maxUnavailable: 2, maxSurge: 0 });
  assertEquals(bounds(rolling(0, "10%"), 3), { maxUnavailable: 0, maxSurge: 1 });
  assertEquals(bounds(rolling(0), 3), { maxUnavailable: 1, maxSurge: 0 });
  assertEquals(bounds(rolling(0), 0), { maxUnavailable: 0, maxSurge: 0 });
  assertThrows(() => bounds(rolling("many"), 3), Error, "invalid value for MaxUnavailable");
  assertEquals([
    allowsSurge(daemonSet(rolling(0, "1%"))),
    allowsSurge(daemonSet(rolling(1, "x"))),
    allowsSurge(daemonSet()),
  ], [true, false, false]);
  const { rollingUpdate } = rolling(1, 1).updateStrategy;
  assertEquals(allowsSurge(daemonSet({ updateStrategy: { type: "OnDelete", rollingUpdate } })), false);
  const bare = daemonSet({ updateStrategy: { type: "RollingUpdate" } });
  assertEquals([updateBounds(bare, 3), allowsSurge(bare)], [{ maxUnavailable: 1, maxSurge: 0 }, false]);
});

const TAINTED: readonly {
  name: string;
  taint: Taint;
  tolerations?: Toleration[];
  hostNetwork?: boolean;
  expected: string;
}[] = [
  { name: "NoSchedule", taint: { key: "k", effect: "NoSchedule" }, expected: "stay" },
  { name: "NoExecute", taint: { key: "k", effect: "NoExecute" }, expected: "never" },
  { name: "PreferNoSchedule", taint: { key: "k", effect: "PreferNoSchedule" }, expected: "run" },
  {
    name: "a tolerated taint",
    taint: { key: "k", effect: "NoExecute" },
    tolerations: [{ key: "k", operator: "Exists" }],
    expected: "run",
  },
  {
    name: "a comparison of numbers",
    taint: { key: "k", value: "1", effect: "NoSchedule" },
    tolerations: [{ key: "k", operator: "Lt", value: "5" }],
    expected: "stay",
  },
  { name: "not-ready", taint: { key: "node.kubernetes.io/not-ready", effect: "NoExecute" }, expected: "run" },
  { name: "unreachable", taint: { key: "node.kubernetes.io/unreachable", effect: "NoExecute" }, expected: "run" },
  {
    name: "memory pressure",
    taint: { key: "node.kubernetes.io/memory-pressure", effect: "NoSchedule" },
    expected: "run",
  },
  { name: "a cordon", taint: { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }, expected: "run" },
  {
    name: "no network",
    taint: { key: "node.kubernetes.io/network-unavailable", effect: "NoSchedule" },
    expected: "stay",
  },
  {
    name: "no network, and a pod that needs none",
    taint: { key: "node.kubernetes.io/network-unavailable", effect: "NoSchedule" },
    hostNetwork: true,
    expected: "run",
  },
];

for (const { name, taint, tolerations, hostNetwork, expected } of TAINTED) {
  Deno.test(`eligibilityOf() a node with ${name}`, () => {
    const set = daemonSet({ template: template("i:1", { tolerations, hostNetwork }) });
    const { shouldRun, shouldContinue } = eligibilityOf(node("n", { taints: [taint] }), set);
    assertEquals(shouldRun ? "run" : shouldContinue ? "stay" : "never", expected);
  });
}

Deno.test("eligibilityOf() wants node name, selector and affinity to match", () => {
  const here = node("n", { labels: { disk: "ssd" } });
  const isWanted = (spec: Parameters<typeof template>[1]) =>
    eligibilityOf(here, daemonSet({ template: template("i:1", spec) })).shouldRun;
  const affinity = (nodeSelectorTerms: object[]) =>
    ({
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
    }) as Parameters<typeof template>[1];
  assertEquals([isWanted({ nodeName: "n" }), isWanted({ nodeName: "m" })], [true, false]);
  assertEquals([isWanted({ nodeSelector: { disk: "ssd" } }), isWanted({ nodeSelector: { disk: "hdd" } })], [
    true,
    false,
  ]);
  assertEquals(
    isWanted(affinity([{}, { matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] }])),
    true,
  );
  assertEquals(isWanted(affinity([{ matchFields: [{ key: "metadata.name", operator: "In", values: ["m"] }] }])), false);
  assertEquals(isWanted(affinity([{}])), false);
});

Deno.test("daemonTolerations() puts its own in place of one for the same, and leaves an identical one", () => {
  const limited = {
    key: "node.kubernetes.io/unreachable",
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds: 5,
  };
  const made = daemonTolerations({ containers: [], tolerations: [limited, { key: "x", operator: "Exists" }] });
  assertEquals(made.slice(0, 3).map(({ key, tolerationSeconds }) => [key, tolerationSeconds]), [
    ["node.kubernetes.io/unreachable", undefined],
    ["x", undefined],
    ["node.kubernetes.io/not-ready", undefined],
  ]);
  assertEquals([made.length, daemonTolerations({ containers: [], tolerations: made }).length], [7, 7]);
});

Deno.test("targetNode() is the node of a pod, also before it is bound; none if several would do", () => {
  const unbound = pod("p", "n", { isBound: false });
  assertEquals([targetNode(pod("p", "n")), targetNode(unbound)], ["n", "n"]);
  const values = unbound.spec!.affinity!.nodeAffinity!.requiredDuringSchedulingIgnoredDuringExecution!
    .nodeSelectorTerms[0].matchFields![0].values!;
  values.push("m");
  assertEquals([targetNode(unbound), targetNode({ spec: { containers: [] } })], [undefined, undefined]);
  assertEquals([...groupByNode([unbound, pod("q", "n")]).keys()], ["n"]);
  const fields = pod("r", "n", { isBound: false });
  const [term] = fields.spec!.affinity!.nodeAffinity!.requiredDuringSchedulingIgnoredDuringExecution!.nodeSelectorTerms;
  term.matchFields = [
    { key: "metadata.uid", operator: "In", values: ["u"] },
    { key: "metadata.name", operator: "NotIn", values: ["m"] },
    { key: "metadata.name", operator: "In", values: ["k"] },
  ];
  assertEquals(targetNode(fields), "k");
});

Deno.test("byPrecedence puts bound pods first, then older ones, then by name", () => {
  const sorted = [
    pod("d", "n", { isBound: false, creationTimestamp: ago(9000) }),
    pod("c", "n", { creationTimestamp: ago(60) }),
    pod("b", "n"),
    pod("a", "n"),
  ].sort(byPrecedence);
  assertEquals(names(sorted), ["a", "b", "c", "d"]);
});

Deno.test("isPodUpdated() goes by the hash, or by the generation where the annotation is a number", () => {
  const at = (generation: string) =>
    daemonSet({ metadata: { annotations: { "deprecated.daemonset.template.generation": generation } } });
  const labelled = pod("p", "n", { labels: { "pod-template-generation": "7", "controller-revision-hash": "x" } });
  assertEquals([isPodUpdated(labelled, daemonSet(), "x"), isPodUpdated(labelled, daemonSet(), "y")], [true, false]);
  assertEquals([
    isPodUpdated(labelled, at("7"), "y"),
    isPodUpdated(labelled, at("8"), "y"),
    isPodUpdated(labelled, at("7.0"), "y"),
  ], [true, false, false]);
  assertEquals(["+7", "007", "x", "9223372036854775808"].map((text) => templateGeneration(at(text))), [
    "7",
    "7",
    undefined,
    undefined,
  ]);
  assertEquals(isPodUpdated(pod("q", "n", { labels: {} }), daemonSet(), ""), false);
});

Deno.test("countNodes() counts nodes by what is wanted there, and by their first pods", () => {
  const pods = groupByNode([
    pod("a", "n0"),
    pod("b", "n1", { readyFor: 10 }),
    pod("c", "n2", { readyFor: null, image: "i:2" }),
    pod("d", "n2", { creationTimestamp: ago(9000) }),
    pod("e", "n4"),
  ]);
  const counts = countNodes({
    daemonSet: daemonSet({ minReadySeconds: 30 }),
    nodes: nodes(6),
    pods,
    eligibilityOf: (name) => ({ shouldRun: name < "n4", shouldContinue: true }),
    hash: hash(),
    nowMs: NOW_MS,
  });
  assertEquals(counts, {
    desiredNumberScheduled: 4,
    currentNumberScheduled: 3,
    numberMisscheduled: 1,
    numberReady: 3,
    numberAvailable: 2,
    numberUnavailable: 2,
    updatedNumberScheduled: 3,
  });
});

Deno.test("planCleanup() takes a younger revision in place of one that a pod is of", () => {
  const old = ["i:2", "i:3", "i:4"].map((image, i) => revision(image, i + 1));
  const plan = (limit: number, pods: Pod[]) =>
    planCleanup(daemonSet({ revisionHistoryLimit: limit }), old, pods).map(({ revision }) => revision);
  assertEquals([plan(1, []), plan(3, [])], [[1, 2], []]);
  assertEquals(plan(2, [pod("p", "n", { image: "i:2" })]), [2]);
});

Deno.test("FailedPodBackoff: a key is held back for a second after its first use, twice as long after each further one, at most for 15 minutes", async () => {
  const clock = new FakeClock();
  const backoff = new FailedPodBackoff(clock);
  const delays: number[] = [];
  for (let i = 0; i < 12; i++) {
    assertEquals(backoff.heldForMs("k"), undefined);
    backoff.advance("k");
    const delayMs = backoff.heldForMs("k")!;
    delays.push(delayMs / 1000);
    await clock.advance(delayMs - 1);
    assertEquals(backoff.heldForMs("k"), delayMs);
    await clock.advance(1);
  }
  assertEquals(delays, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
});

Deno.test("FailedPodBackoff: a key that is not used for half an hour starts over; FailedPodBackoff: entries that would start over take no memory for longer than a minute of use", async () => {
  const clock = new FakeClock();
  const backoff = new FailedPodBackoff(clock);
  for (const key of ["a", "a", "b"]) backoff.advance(key);
  await clock.advance(30 * 60_000 + 1);
  backoff.advance("a");
  assertEquals([backoff.heldForMs("a"), backoff.size], [1000, 1]);
});
