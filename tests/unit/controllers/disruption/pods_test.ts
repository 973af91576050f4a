/** What pods have to do with budgets, and conditions of pods that are out of date. */
import { assertEquals, assertRejects } from "@std/assert";
import { type PodCondition, PODS } from "../../../../src/api/mod.ts";
import { DeletedFinalStateUnknown } from "../../../../src/cache/mod.ts";
import { statusError } from "../status_errors.ts";
import { ago } from "../fake_times.ts";
import { budget, type BudgetTraits, DisruptionHarness, pod, type PodTraits } from "./fixtures.ts";

const named = (name: string, traits: BudgetTraits = {}) =>
  budget({ metadata: { name, uid: `uid-${name}` }, ...traits });

Deno.test("budgetHandler() queues a budget whatever happens to it", () => {
  const harness = new DisruptionHarness();
  harness.budgetHandler.onAdd(budget(), false);
  harness.budgetHandler.onUpdate(budget(), budget());
  harness.budgetHandler.onDelete(budget());
  harness.budgetHandler.onDelete(new DeletedFinalStateUnknown<never>("a/c", undefined));
  assertEquals(harness.queued, ["disruption a/b", "disruption a/b", "disruption a/b", "disruption a/c"]);
});

Deno.test("podHandler() queues the budget that selects the pod by the labels it has now", () => {
  const harness = new DisruptionHarness().store(
    named("x", { selector: { matchLabels: { app: "x" } } }),
    named("y", { selector: { matchLabels: { app: "y" } } }),
  );
  const { onAdd, onUpdate, onDelete } = harness.podHandler;
  onAdd(pod("p"), false);
  onUpdate(pod("p"), pod("p", { labels: { app: "y" } }));
  onDelete(pod("p"));
  onDelete(new DeletedFinalStateUnknown("a/p", pod("p")));
  onDelete(new DeletedFinalStateUnknown<never>("a/p", undefined));
  onAdd(pod("q", { labels: { app: "z" } }), false);
  onAdd(pod("q", { namespace: "other" }), false);
  assertEquals(harness.queued, ["disruption a/x", "disruption a/y", "disruption a/x", "disruption a/x"]);
});

const SELECTORS: ReadonlyArray<readonly [string, BudgetTraits["selector"], boolean]> = [
  ["an empty selector", {}, true],
  ["no selector", undefined, false],
  ["an invalid selector", { matchLabels: { "a/b/c": "x" } }, false],
];
for (const [what, selector, isQueued] of SELECTORS) {
  Deno.test(`podHandler() ${isQueued ? "queues" : "passes by"} a budget with ${what}`, () => {
    const harness = new DisruptionHarness().store(budget({ selector }));
    harness.podHandler.onAdd(pod("p"), false);
    assertEquals([harness.queued, harness.events], [isQueued ? ["disruption a/b"] : [], []]);
  });
}

Deno.test("podHandler() queues one of several budgets, and warns of it", () => {
  const harness = new DisruptionHarness().store(named("b1"), named("b2"));
  harness.podHandler.onAdd(pod("p"), false);
  assertEquals(harness.queued, ["disruption a/b1"]);
  const message = 'Pod "a"/"p" matches multiple PodDisruptionBudgets.  Chose "b1" arbitrarily.';
  assertEquals(harness.events, [`Warning MultiplePodDisruptionBudgets a/p ${message}`]);
});

Deno.test("podHandler() looks at a pod again when its condition becomes stale", () => {
  const harness = new DisruptionHarness();
  harness.podHandler.onAdd(pod("p", { target: { lastTransitionTime: ago(30) } }), true);
  harness.podHandler.onUpdate(pod("p"), pod("p", { target: { lastTransitionTime: ago(600) } }));
  harness.podHandler.onDelete(pod("p", { target: { lastTransitionTime: ago(600) } }));
  assertEquals(harness.queued, ["stale a/p 90 s", "stale a/p 0 s"]);
});

Deno.test("syncStalePod takes back that a pod is to end, two minutes after it was said", async () => {
  const harness = new DisruptionHarness().store(pod("p", { target: { lastTransitionTime: ago(121) } }));
  await harness.syncStale();
  assertEquals(harness.client.writes, ["put pods/status a/p"]);
  const stored = harness.client.find(PODS, "a/p");
  assertEquals(stored?.status?.phase, "Running");
  assertEquals(stored?.status?.conditions, [
    { type: "Ready", status: "True", lastProbeTime: null, lastTransitionTime: null },
    {
      type: "DisruptionTarget",
      status: "False",
      observedGeneration: 3,
      lastProbeTime: null,
      lastTransitionTime: ago(0),
    },
  ] as unknown as PodCondition[]); // the server writes null for a time that is absent
});

Deno.test("syncStalePod takes a condition without a time for stale", async () => {
  const harness = new DisruptionHarness().store(pod("p", { target: {} }));
  await harness.syncStale();
  assertEquals(harness.client.writes, ["put pods/status a/p"]);
});

Deno.test("syncStalePod waits for the rest of the two minutes", async () => {
  const harness = new DisruptionHarness().store(pod("p", { target: { lastTransitionTime: ago(119) } }));
  await harness.syncStale();
  assertEquals([harness.client.writes, harness.queued], [[], ["stale a/p 1 s"]]);
});

const lastTransitionTime = ago(600);
const FRESH: ReadonlyArray<readonly [string, PodTraits]> = [
  ["is being deleted", { isDeleting: true, target: { lastTransitionTime } }],
  ["its kubelet ends", { target: { lastTransitionTime, reason: "TerminationByKubelet" } }],
  ["has failed", { phase: "Failed", target: { lastTransitionTime } }],
  ["has succeeded", { phase: "Succeeded", target: { lastTransitionTime } }],
  ["says that it is not to end", { target: { lastTransitionTime, status: "False" } }],
  ["says nothing of it", {}],
];
for (const [what, traits] of FRESH) {
  Deno.test(`syncStalePod leaves a pod alone that ${what}`, async () => {
    const harness = new DisruptionHarness().store(pod("p", traits));
    await harness.syncStale();
    assertEquals([harness.client.writes, harness.queued], [[], []]);
  });
}

Deno.test("syncStalePod does nothing about a pod that is gone, and tries again after a failure", async () => {
  const harness = new DisruptionHarness();
  await harness.syncStale();
  harness.store(pod("p", { target: { lastTransitionTime } }));
  harness.client.fail("put", statusError(409, "Conflict"));
  await assertRejects(() => harness.syncStale(), Error, "Conflict");
});
