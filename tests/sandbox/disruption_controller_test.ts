/** The disruption controller over minutes and through failures, on the embedded API server and its clock. */
import { assertEquals } from "@std/assert";
import { EVENTS, formatTime, NODES, type PodDisruptionBudget, PODDISRUPTIONBUDGETS, PODS } from "kubeloop/api";
import { objects, startTestCluster, type TestCluster } from "kubeloop/testing";
import { budgetFails, budgetSays, createBudget, createPodsOf, patchPodStatus } from "../scenarios/disruption_kit.ts";
import type { Kit } from "../scenarios/kit.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

function now(cluster: TestCluster): string {
  return formatTime(cluster.world.clock.wallMs());
}

async function budget(kit: Kit): Promise<PodDisruptionBudget> {
  return await kit.get(PODDISRUPTIONBUDGETS, "b");
}

/** What the condition of each budget said, whenever one was written from now on. */
function writtenReasons(cluster: TestCluster): string[] {
  const reasons: string[] = [];
  cluster.apiServer.onWrite(({ collection, object }) => {
    if (collection !== "poddisruptionbudgets.policy") return;
    const { status }: PodDisruptionBudget = object ?? {};
    reasons.push(status?.conditions?.map(({ reason }) => reason).join() ?? "");
  });
  return reasons;
}

Deno.test("An evicted pod that is not deleted counts again after two minutes, though nothing happens", async () => {
  await using cluster = await startTestCluster();
  const kit = kitOf(cluster, await cluster.namespace("scenario"));
  await createPodsOf(kit, ["p", "q"]);
  await createBudget(kit, { minAvailable: 1 });
  await budgetSays(kit, [1, 2, 1, 2]);
  await kit.merge(PODDISRUPTIONBUDGETS, "b", { status: { disruptedPods: { p: now(cluster) } } }, "status");
  await cluster.advance(119_000);
  const { status } = await budget(kit);
  assertEquals([status?.disruptionsAllowed, Object.keys(status?.disruptedPods ?? {})], [0, ["p"]]);
  await cluster.advance(5_000);
  await budgetSays(kit, [1, 2, 1, 2]);
  const events = await kit.list(EVENTS);
  const notDeleted = events.filter(({ reason }) => reason === "NotDeleted");
  assertEquals(notDeleted.map(({ source }) => source?.component), ["controllermanager"]);
});

Deno.test("A pod that was to end and does not is freed of that after two minutes", async () => {
  await using cluster = await startTestCluster();
  const kit = kitOf(cluster, await cluster.namespace("scenario"));
  await createPodsOf(kit, ["p"]);
  const target = { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI", message: "m" };
  await patchPodStatus(kit, "p", { conditions: [{ ...target, lastTransitionTime: now(cluster) }] });
  const condition = async () =>
    (await kit.get(PODS, "p")).status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  await cluster.advance(119_000);
  assertEquals((await condition())?.status, "True");
  await cluster.advance(2_000);
  const { status, reason, message } = (await condition())!;
  assertEquals([status, reason, message], ["False", undefined, undefined]);
  assertEquals((await kit.get(PODS, "p")).status?.phase, "Running");
});

Deno.test("Conflicts never make a budget fail", async () => {
  await using cluster = await startTestCluster();
  const kit = kitOf(cluster, await cluster.namespace("scenario"));
  await createPodsOf(kit, ["p", "q"]);
  const reasons = writtenReasons(cluster);
  cluster.fault({ verb: "update", resource: "poddisruptionbudgets.policy/status", times: 5, status: { code: 409 } });
  await createBudget(kit, { minAvailable: 1 });
  await budgetSays(kit, [1, 2, 1, 2]);
  assertEquals(reasons, ["", "SufficientPods"]);
});

Deno.test("A budget whose status cannot be written allows nothing, until something happens", async () => {
  await using cluster = await startTestCluster();
  const kit = kitOf(cluster, await cluster.namespace("scenario"));
  await createPodsOf(kit, ["p", "q"]);
  const reasons = writtenReasons(cluster);
  cluster.fault({ verb: "update", resource: "poddisruptionbudgets.policy/status", times: 3, status: { code: 500 } });
  await createBudget(kit, { minAvailable: 1 });
  await budgetSays(kit, [1, 2, 1, 2]);
  // The write of the failure is what happens.
  assertEquals(reasons, ["", "SyncFailed", "SufficientPods"]);
});

Deno.test("A budget that cannot be counted makes no hot loop", async () => {
  await using cluster = await startTestCluster();
  const kit = kitOf(cluster, await cluster.namespace("scenario"));
  const unknown = { group: "nowhere.example.com", version: "v1", plural: "xs", kind: "X", namespaced: true };
  await createPodsOf(kit, ["p"], [unknown, { metadata: { name: "x", uid: "11111111-2222-3333-4444-555555555555" } }]);
  const reasons = writtenReasons(cluster);
  await createBudget(kit, { maxUnavailable: 1 });
  await budgetFails(kit, "no matches for kind");
  await cluster.advance(3_600_000);
  assertEquals(reasons, ["", "SyncFailed"]);
});

Deno.test("The journal says why the pod garbage collector deleted a pod", async () => {
  await using cluster = await startTestCluster();
  const kit = kitOf(cluster, await cluster.namespace("scenario"));
  const finalizers = ["example.com/hold"];
  await kit.create(NODES, objects.node("short-lived"));
  await kit.create(PODS, objects.pod("p", { nodeName: "short-lived", metadata: { finalizers } }));
  await kit.delete(NODES, "short-lived");
  await kit.until(PODS, "p", "has failed", ({ status }) => status?.phase === "Failed");
  const why = await cluster.why("pods", { namespace: kit.namespace, name: "p" });
  assertEquals(/pod-garbage-collector-controller/.test(why), true, why);
  assertEquals(/node\/short-lived deleted/.test(why), true, why);
});
