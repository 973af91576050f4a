/** What one sync of a budget counts and writes. */
import { assertEquals, assertRejects } from "@std/assert";
import type { Pod, PodDisruptionBudget, PodDisruptionBudgetStatus } from "../../../../src/api/mod.ts";
import { statusError } from "../status_errors.ts";
import { ago } from "../fake_times.ts";
import {
  budget,
  deployment,
  DisruptionHarness,
  figures,
  pod,
  podsOf,
  referenceTo,
  replicaSet,
  replicationController,
} from "./fixtures.ts";

const NO_PODS = "Normal NoPods a/b No matching pods found";

Deno.test("syncBudget allows nothing without pods, and says that there are none", async () => {
  const harness = new DisruptionHarness().store(budget({ minAvailable: 3 }));
  assertEquals(await harness.sync(), "0,0,3,0 InsufficientPods");
  assertEquals(harness.events, [NO_PODS]);
  assertEquals(harness.status, {
    currentHealthy: 0,
    desiredHealthy: 3,
    expectedPods: 0,
    disruptionsAllowed: 0,
    observedGeneration: 1,
    conditions: [{
      type: "DisruptionAllowed",
      status: "False",
      reason: "InsufficientPods",
      message: "",
      observedGeneration: 1,
      lastTransitionTime: ago(0),
    }],
  });
});

Deno.test("syncBudget counts pods one by one against an integer", async () => {
  const harness = new DisruptionHarness().store(budget({ minAvailable: 3 }));
  const seen: string[] = [];
  for (let i = 1; i <= 4; i++) seen.push(await harness.store(pod(`p${i}`)).sync());
  assertEquals(seen, [
    "0,1,3,1 InsufficientPods",
    "0,2,3,2 InsufficientPods",
    "0,3,3,3 InsufficientPods",
    "1,4,3,4 SufficientPods",
  ]);
  assertEquals(harness.events, []);
});

Deno.test("syncBudget subtracts maxUnavailable from what the owner wants", async () => {
  const set = replicaSet("s", 10);
  const harness = new DisruptionHarness().store(budget({ maxUnavailable: 1 }), set, ...podsOf(set, 1));
  assertEquals(await harness.sync(), "0,1,9,10 InsufficientPods");
});

Deno.test("syncBudget follows an owner that is scaled", async () => {
  const pods = podsOf(replicationController("c", 7), 1);
  const harness = new DisruptionHarness().store(budget({ maxUnavailable: 2 }), replicationController("c", 7), ...pods);
  assertEquals(await harness.sync(), "0,1,5,7 InsufficientPods");
  harness.store(replicationController("c", 2));
  assertEquals(await harness.sync(), "1,1,0,2 SufficientPods");
});

Deno.test("syncBudget rounds a percentage of unavailable pods up", async () => {
  const pods = podsOf(replicationController("c", 7), 1);
  const harness = new DisruptionHarness()
    .store(budget({ maxUnavailable: "30%" }), replicationController("c", 7), ...pods);
  assertEquals(await harness.sync(), "0,1,4,7 InsufficientPods");
  harness.store(replicationController("c", 3));
  assertEquals(await harness.sync(), "0,1,2,3 InsufficientPods");
  assertEquals(harness.events, []);
});

Deno.test("syncBudget takes a percentage of available pods of all owners, each once", async () => {
  const controller = replicationController("c", 11);
  const harness = new DisruptionHarness().store(
    budget({ minAvailable: "28%" }),
    controller,
    ...podsOf(controller, 5, 6),
  );
  assertEquals(await harness.sync(), "1,5,4,11 SufficientPods");
  const owner = deployment("d", 11);
  const [older, newer] = [replicaSet("d-1", 3, owner), replicaSet("d-2", 8, owner)];
  harness.store(owner, older, newer, ...podsOf(older, 1, 2), ...podsOf(newer, 3, 5));
  assertEquals(await harness.sync(), "2,9,7,22 SufficientPods");
});

Deno.test("syncBudget warns of pods without an owner where owners matter, and goes on", async () => {
  const selector = {
    matchLabels: { b: "2", app: "x" },
    matchExpressions: [{ key: "app", operator: "In", values: ["x", "y"] }],
  };
  const harness = new DisruptionHarness()
    .store(budget({ minAvailable: "28%", selector }), pod("p", { labels: { app: "x", b: "2" } }));
  assertEquals(await harness.sync(), "0,1,0,0 InsufficientPods");
  assertEquals(harness.events, [
    "Warning UnmanagedPods a/b Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:" +
    "map[string]string{app: x,b: 2,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:app," +
    "Operator:In,Values:[x y],},},}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated " +
    'correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of ' +
    "the PDB to an integer value.",
  ]);
});

Deno.test("syncBudget demands nothing where nothing is demanded", async () => {
  const harness = new DisruptionHarness().store(budget(), pod("p"));
  assertEquals(await harness.sync(), "0,1,0,0 InsufficientPods");
});

const UNHEALTHY: ReadonlyArray<readonly [string, Pod]> = [
  ["is not ready", pod("q", { isReady: false })],
  ["is being deleted", pod("q", { isDeleting: true })],
  ["is in another namespace", pod("q", { namespace: "other" })],
  ["is not selected", pod("q", { labels: { app: "y" } })],
];
for (const [what, other] of UNHEALTHY) {
  Deno.test(`syncBudget does not count as healthy a pod that ${what}`, async () => {
    const selector = { matchLabels: { app: "x" } };
    const harness = new DisruptionHarness().store(budget({ minAvailable: 1, selector }), pod("p"), other);
    assertEquals((await harness.sync()).slice(0, 5), "0,1,1");
  });
}

Deno.test("syncBudget keeps entries of pods that are still to be deleted, and comes back for them", async () => {
  const disruptedPods = { p1: ago(0), p2: ago(180), p3: ago(60), gone: ago(0) };
  const status = { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0, disruptedPods };
  const pods = [pod("p1", { isDeleting: true }), pod("p2"), pod("p3")];
  const harness = new DisruptionHarness().store(budget({ minAvailable: 1, status }), ...pods);
  assertEquals(await harness.sync(), "0,1,1,3 InsufficientPods");
  assertEquals(harness.status?.disruptedPods, { p3: ago(60) });
  assertEquals(harness.events, ["Warning NotDeleted a/p2 Pod was expected by PDB a/a to be deleted but it wasn't"]);
  assertEquals(harness.queued, ["recheck a/b 60 s"]);
});

Deno.test("syncBudget keeps an entry until two minutes have passed, but counts its pod from then on", async () => {
  const disruptedPods = { p: ago(120) };
  const status = { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0, disruptedPods };
  const harness = new DisruptionHarness().store(budget({ minAvailable: 0, status }), pod("p"));
  assertEquals(await harness.sync(), "1,1,0,1 SufficientPods");
  assertEquals([harness.status?.disruptedPods, harness.queued], [disruptedPods, ["recheck a/b 0 s"]]);
  await harness.world.clock.advance(1_000);
  await harness.sync();
  assertEquals([harness.status?.disruptedPods, harness.events.length], [undefined, 1]);
});

Deno.test("syncBudget is not confused by a pod called constructor", async () => {
  const disruptedPods = { p: ago(0) };
  const status = { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0, disruptedPods };
  const harness = new DisruptionHarness().store(budget({ minAvailable: 0, status }), pod("constructor"));
  assertEquals(await harness.sync(), "1,1,0,1 SufficientPods");
});

Deno.test("syncBudget writes nothing that is so already, and clears the message of a failure that is over", async () => {
  const harness = new DisruptionHarness().store(budget({ minAvailable: 1 }), pod("p"), pod("q"));
  await harness.sync();
  await harness.sync();
  assertEquals(harness.client.writes, ["put poddisruptionbudgets/status a/b"]);
  const failed = { ...harness.status!.conditions![0], status: "False", reason: "SyncFailed", message: "broken" };
  harness.store({ ...budget({ minAvailable: 1 }), status: { ...harness.status, conditions: [failed] } } as never);
  await harness.world.clock.advance(60_000);
  await harness.sync();
  const [condition] = harness.status!.conditions!;
  assertEquals([condition.reason, condition.message, condition.lastTransitionTime], ["SufficientPods", "", ago(-60)]);
});

Deno.test("syncBudget takes a failure back that is over, also where nothing is allowed all the same", async () => {
  const harness = new DisruptionHarness().store(budget({ minAvailable: 1 }), pod("p"));
  await harness.sync();
  const failed = { ...harness.status!.conditions![0], reason: "SyncFailed", message: "broken" };
  harness.store({ ...budget({ minAvailable: 1 }), status: { ...harness.status, conditions: [failed] } } as never);
  assertEquals(await harness.sync(), "0,1,1,1 InsufficientPods");
  assertEquals(harness.status!.conditions![0].message, "");
});

Deno.test("syncBudget writes the generation that it has seen, even if nothing else changed", async () => {
  const harness = new DisruptionHarness().store(budget({ minAvailable: 1 }), pod("p"), pod("q"));
  await harness.sync();
  harness.store({ ...budget({ minAvailable: 1, metadata: { generation: 2 } }), status: harness.status } as never);
  await harness.world.clock.advance(60_000);
  await harness.sync();
  const [condition] = harness.status!.conditions!;
  assertEquals([harness.status?.observedGeneration, condition.observedGeneration], [2, 2]);
  assertEquals(condition.lastTransitionTime, ago(0));
});

Deno.test("syncBudget keeps conditions of others", async () => {
  const other = { type: "Other", status: "True", reason: "R", message: "", lastTransitionTime: ago(9) };
  const status = { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0, conditions: [other] };
  const harness = new DisruptionHarness().store(budget({ minAvailable: 1, status }), pod("p"));
  await harness.sync();
  assertEquals(harness.status?.conditions?.map(({ type }) => type), ["Other", "DisruptionAllowed"]);
  assertEquals(harness.status?.conditions?.[0], other);
});

Deno.test("syncBudget does nothing about a budget that is gone", async () => {
  const harness = new DisruptionHarness();
  await harness.sync();
  assertEquals(harness.client.calls, []);
});

const ALLOWED: PodDisruptionBudgetStatus = {
  currentHealthy: 2,
  desiredHealthy: 1,
  disruptionsAllowed: 1,
  expectedPods: 2,
  observedGeneration: 1,
  disruptedPods: { p: ago(10) },
};

Deno.test("syncBudget allows nothing while the selector is invalid, and leaves all else as it was", async () => {
  const selector = { matchLabels: { "a/b/c": "x" } };
  const metadata = { generation: 2 };
  const harness = new DisruptionHarness().store(
    budget({ minAvailable: 1, selector, metadata, status: ALLOWED }),
    pod("p"),
  );
  assertEquals(await harness.sync(), "0,2,1,2 SyncFailed");
  assertEquals(harness.events.length, 1);
  assertEquals(harness.events[0].startsWith("Warning NoPods a/b Failed to get pods: "), true);
  const { conditions, ...rest } = harness.status!;
  assertEquals(rest, { ...ALLOWED, disruptionsAllowed: 0 });
  assertEquals(conditions, [{
    type: "DisruptionAllowed",
    status: "False",
    reason: "SyncFailed",
    message: harness.events[0].slice("Warning NoPods a/b Failed to get pods: ".length),
    observedGeneration: 1,
    lastTransitionTime: ago(0),
  }]);
});

Deno.test("syncBudget allows nothing while an amount makes no sense", async () => {
  const why = "invalid value for IntOrString: invalid type: string is not a percentage";
  for (const amount of [{ minAvailable: "half" }, { maxUnavailable: "half" }]) {
    const set = replicaSet("s", 2);
    const harness = new DisruptionHarness().store(budget({ ...amount, status: ALLOWED }), set, ...podsOf(set, 2));
    assertEquals(await harness.sync(), "0,2,1,2 SyncFailed");
    const message = `Failed to calculate the number of expected pods: ${why}`;
    assertEquals(harness.events, [`Warning CalculateExpectedPodCountFailed a/b ${message}`]);
    assertEquals(harness.status?.conditions?.[0].message, why);
  }
});

Deno.test("syncBudget tries again after a conflict, and does not take it for a failure", async () => {
  const harness = new DisruptionHarness().store(budget({ minAvailable: 1, status: ALLOWED }), pod("p"));
  harness.client.fail("put", statusError(409, "Conflict"), { times: 1 });
  const error = await assertRejects(() => harness.sync());
  assertEquals((error as Error).message, "Conflict");
  assertEquals(harness.client.writes.length, 1);
  assertEquals(harness.status, ALLOWED);
});

Deno.test("syncBudget allows nothing if its status could not be written, and that is that", async () => {
  const harness = new DisruptionHarness().store(budget({ minAvailable: 1, status: ALLOWED }), pod("p"));
  harness.client.fail("put", statusError(500, "InternalError", "broken"), { times: 1 });
  assertEquals(await harness.sync(), "0,2,1,2 SyncFailed");
  assertEquals([harness.status?.conditions?.[0].message, harness.queued], ["broken", []]);
});

Deno.test("syncBudget tries again if it could not even write that nothing is allowed", async () => {
  const harness = new DisruptionHarness().store(budget({ minAvailable: 1, status: ALLOWED }), pod("p"));
  harness.client.fail("put", statusError(500, "InternalError", "broken"));
  await assertRejects(() => harness.sync(), Error, "broken");
  assertEquals(harness.client.writes.length, 2);
});

Deno.test("syncBudget comes to the same as upstream's 32 bits where replicas overflow", async () => {
  const sets = [replicaSet("s", 2 ** 31 - 1), replicaSet("t", 2 ** 31 - 1)];
  const pods = sets.flatMap((set) => [pod(set.metadata.name, { owner: referenceTo(set) })]);
  const harness = new DisruptionHarness().store(budget({ maxUnavailable: 1 }), ...sets, ...pods);
  assertEquals(await harness.sync(), "0,0,0,0 SyncFailed", "the server takes no negative number");
  const [tried] = harness.client.bodies<PodDisruptionBudget>("put poddisruptionbudgets/status");
  assertEquals(figures(tried.status), "0,2,0,-2 InsufficientPods");
});
