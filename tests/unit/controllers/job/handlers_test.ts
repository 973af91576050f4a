import { assertEquals, assertRejects } from "@std/assert";
import { controllerOf, type Job, type Pod, PODS } from "../../../../src/api/mod.ts";
import { DeletedFinalStateUnknown } from "../../../../src/cache/mod.ts";
import { statusError } from "../status_errors.ts";
import { ago } from "../fake_times.ts";
import { job, JobHarness, pod } from "./fixtures.ts";
import { takeKeys } from "../../workqueue/queue_contents.ts";

const COMPLETE = { status: { conditions: [{ type: "Complete", status: "True" }] } };
const externals = { name: "job_controller_jobs_by_external_controller_total", help: "" };

Deno.test("jobHandler() syncs a new Job at once, and counts those of other managers", () => {
  const harness = new JobHarness(job());
  harness.jobHandler.onAdd(job({ managedBy: "acme.io/x" }), false);
  assertEquals(harness.delays(), ["a/j 0 s"]);
  assertEquals(harness.metrics.counter(externals).value(["acme.io/x"]), 1);
});

Deno.test("jobHandler() syncs a changed spec at once and a changed status after a second", () => {
  const harness = new JobHarness(job());
  harness.jobHandler.onUpdate(job(), job());
  harness.jobHandler.onUpdate(job(), job({}, { generation: 2 }));
  assertEquals(harness.delays(), ["a/j 1 s", "a/j 0 s"]);
});

Deno.test("jobHandler() comes back at a deadline that is new, and only then", () => {
  const harness = new JobHarness(job());
  const at = (activeDeadlineSeconds?: number, startTime?: string) =>
    job({ activeDeadlineSeconds }, { status: { startTime } });
  harness.jobHandler.onUpdate(at(undefined, ago(10)), at(30, ago(10)));
  harness.jobHandler.onUpdate(at(60, ago(10)), at(5, ago(10)));
  assertEquals(harness.delays(), ["a/j 1 s", "a/j 20 s", "a/j 1 s", "a/j -5 s"]);
  harness.jobHandler.onUpdate(at(30, ago(10)), at(30, ago(10)));
  harness.jobHandler.onUpdate(at(), at(30));
  harness.jobHandler.onUpdate(at(30, ago(10)), at(undefined, ago(10)));
  assertEquals(harness.delays(), ["a/j 1 s", "a/j 1 s", "a/j 1 s"]);
});

Deno.test("jobHandler() does not sync a finished Job, but looks after the finalizers of its pods", async () => {
  const harness = new JobHarness(job());
  harness.jobHandler.onUpdate(job(), job({}, COMPLETE));
  assertEquals([harness.delays(), await takeKeys(harness.orphans)], [[], ["a?app=x"]]);
  harness.jobHandler.onUpdate(job(), job({ selector: undefined }, COMPLETE));
  const selector = { matchLabels: { "not valid": "x" } };
  harness.jobHandler.onUpdate(job(), job({ selector }, COMPLETE));
  assertEquals(await takeKeys(harness.orphans), [], "it selects none");
});

Deno.test("jobHandler() forgets a deleted Job and looks after its pods", async () => {
  for (const deleted of [job(), new DeletedFinalStateUnknown("a/j", job())]) {
    const harness = new JobHarness(job());
    harness.context.backoffs.set("a/j", { failures: 3, lastFailureMs: 0 });
    harness.context.ended.add("uid-j");
    harness.expectations.set("a/j", { add: 1 });
    harness.jobHandler.onDelete(deleted);
    assertEquals([harness.context.backoffs.size, harness.context.ended.size], [0, 0]);
    assertEquals(harness.expectations.pending("a/j"), undefined);
    assertEquals([harness.delays(), await takeKeys(harness.orphans)], [["a/j 0 s"], ["a?app=x"]]);
  }
  const harness = new JobHarness(job());
  harness.jobHandler.onDelete(new DeletedFinalStateUnknown<Job>("a/j", undefined));
  assertEquals([harness.delays(), await takeKeys(harness.orphans)], [["a/j 0 s"], []]);
});

Deno.test("jobHandler() takes an update to another uid for a deletion first", async () => {
  const harness = new JobHarness(job());
  harness.context.ended.add("uid-old");
  harness.jobHandler.onUpdate(job({}, { uid: "uid-old" }), job());
  assertEquals([harness.context.ended.size, harness.delays()], [0, ["a/j 0 s", "a/j 1 s"]]);
  assertEquals(await takeKeys(harness.orphans), ["a?app=x"]);
});

Deno.test("podHandler() observes the creation of a Job's pod and syncs the Job after a second", () => {
  const harness = new JobHarness(job());
  harness.expectations.set("a/j", { add: 2 });
  harness.podHandler.onAdd(pod("p"), false);
  const ownerReferences = [{ ...controllerOf(pod("p"))!, uid: "another" }];
  harness.podHandler.onAdd(pod("q", { ownerReferences }), false);
  assertEquals([harness.expectations.pending("a/j"), harness.delays()], [{ add: 1, del: 0 }, ["a/j 1 s"]]);
});

Deno.test("podHandler() takes a pod that is added while going for a deletion", () => {
  const harness = new JobHarness(job());
  harness.expectations.set("a/j", { add: 1, del: 1 });
  harness.podHandler.onAdd(pod("p", { deletionTimestamp: ago(0) }), false);
  assertEquals(harness.expectations.pending("a/j"), { add: 1, del: 0 });
});

Deno.test("podHandler() frees an orphan and syncs every Job that could want it", async () => {
  const harness = new JobHarness(job());
  harness.jobs.add(job({ selector: { matchLabels: { app: "y" } } }, { name: "k", uid: "uid-k" }));
  harness.expectations.set("a/j", { add: 1 });
  harness.podHandler.onAdd(pod("p", { isOwned: false }), false);
  harness.podHandler.onAdd(pod("q", { isOwned: false, hasFinalizer: false, labels: { app: "z" } }), false);
  assertEquals([harness.delays(), await takeKeys(harness.orphans)], [["a/j 1 s"], ["a/p"]]);
  assertEquals(harness.expectations.pending("a/j"), { add: 1, del: 0 });
});

Deno.test("podHandler() observes that a finalizer is gone by the new state of a pod alone", () => {
  const harness = new JobHarness(job());
  harness.finalizers.expect("a/j", ["uid-p", "uid-q"]);
  const at = (name: string, resourceVersion: string, hasFinalizer: boolean) =>
    pod(name, { resourceVersion, hasFinalizer });
  harness.podHandler.onUpdate(at("p", "1", false), at("p", "2", false));
  harness.podHandler.onUpdate(at("q", "1", true), at("q", "2", true));
  assertEquals([...harness.finalizers.awaited("a/j")], ["uid-q"]);
  harness.podHandler.onUpdate(at("q", "2", false), at("q", "2", false));
  assertEquals([...harness.finalizers.awaited("a/j")], ["uid-q"], "a replay of the cache says nothing");
  assertEquals(harness.delays(), ["a/j 1 s", "a/j 1 s"]);
});

Deno.test("podHandler() tells the Job that lost a pod to another", () => {
  const harness = new JobHarness(job());
  harness.jobs.add(job({}, { name: "k", uid: "uid-k" }));
  harness.finalizers.expect("a/j", ["uid-p"]);
  const ownerReferences = [{ ...controllerOf(pod("p"))!, name: "k", uid: "uid-k" }];
  const after = pod("p", { resourceVersion: "2", ownerReferences, hasFinalizer: false });
  harness.podHandler.onUpdate(pod("p", { resourceVersion: "1" }), after);
  assertEquals([harness.finalizers.awaited("a/j").size, harness.delays()], [0, ["a/j 1 s", "a/k 1 s"]]);
});

Deno.test("podHandler() frees a pod that lost its Job, and looks for another only if that is news", async () => {
  const harness = new JobHarness(job());
  const orphan = (resourceVersion: string, labels = { app: "x" }) =>
    pod("p", { resourceVersion, isOwned: false, labels });
  harness.podHandler.onUpdate(orphan("1"), orphan("2"));
  assertEquals([harness.delays(), await takeKeys(harness.orphans)], [[], ["a/p"]]);
  harness.podHandler.onUpdate(orphan("2", { app: "y" }), orphan("3"));
  harness.podHandler.onUpdate(pod("p", { resourceVersion: "3" }), orphan("4"));
  assertEquals(harness.delays(), ["a/j 1 s", "a/j 1 s", "a/j 1 s"]);
});

Deno.test("podHandler() takes the finalizer for gone when the pod is, or has none on its way out", () => {
  const harness = new JobHarness(job());
  harness.finalizers.expect("a/j", ["uid-p", "uid-q", "uid-r"]);
  harness.expectations.set("a/j", { del: 3 });
  const going = (name: string, hasFinalizer: boolean) =>
    pod(name, { resourceVersion: "2", deletionTimestamp: ago(0), hasFinalizer });
  harness.podHandler.onUpdate(pod("p"), going("p", true));
  harness.podHandler.onUpdate(pod("q"), going("q", false));
  harness.podHandler.onDelete(new DeletedFinalStateUnknown("a/r", pod("r")));
  harness.podHandler.onDelete(new DeletedFinalStateUnknown<Pod>("a/s", undefined));
  assertEquals([...harness.finalizers.awaited("a/j")], ["uid-p"]);
  assertEquals(harness.delays(), ["a/j 1 s", "a/j 1 s", "a/j 1 s"]);
  assertEquals(harness.expectations.pending("a/j"), { add: 0, del: 0 });
});

Deno.test("podHandler() frees a pod that is going when its Job is gone or has ended", async () => {
  const gone = new JobHarness(job({}, { uid: "another" }));
  gone.podHandler.onDelete(pod("p"));
  const ended = new JobHarness(job({}, COMPLETE));
  ended.podHandler.onUpdate(pod("p"), pod("p", { resourceVersion: "2", deletionTimestamp: ago(0) }));
  for (const harness of [gone, ended]) {
    assertEquals([harness.delays(), await takeKeys(harness.orphans)], [[], ["a/p"]]);
  }
});

Deno.test("podHandler() counts ended pods that gain and lose the finalizer, whoever owns them", () => {
  const harness = new JobHarness(job());
  const counter = harness.metrics.counter({
    name: "job_controller_terminated_pods_tracking_finalizer_total",
    help: "",
  });
  const counts = () => [counter.value(["add"]), counter.value(["delete"])];
  const ended = pod("p", { phase: "Failed", isOwned: false, resourceVersion: "2" });
  harness.podHandler.onAdd(pod("p"), false);
  harness.podHandler.onUpdate(pod("p"), ended);
  assertEquals(counts(), [1, 0]);
  harness.podHandler.onUpdate(ended, pod("p", { phase: "Failed", hasFinalizer: false, resourceVersion: "3" }));
  assertEquals(counts(), [1, 1]);
  harness.podHandler.onAdd(ended, true);
  harness.podHandler.onDelete(ended);
  assertEquals(counts(), [2, 2]);
});

Deno.test("syncOrphans() frees pods without a Job, and of Jobs that have ended", async () => {
  const ended = job({}, { name: "k", uid: "uid-k", ...COMPLETE });
  const ownerReferences = [{ ...controllerOf(pod("p"))!, name: "k", uid: "uid-k" }];
  const gone = [{ ...ownerReferences[0], uid: "gone" }];
  const harness = new JobHarness(
    job(),
    pod("free", { isOwned: false }),
    pod("ended", { ownerReferences }),
    pod("gone", { ownerReferences: gone }),
    pod("owned"),
    pod("set", { ownerReferences: [{ ...ownerReferences[0], kind: "ReplicaSet", apiVersion: "apps/v1" }] }),
    pod("foreign", { ownerReferences: [{ ...ownerReferences[0], apiVersion: "example.com/v1" }] }),
    pod("cron", { ownerReferences: [{ ...ownerReferences[0], kind: "CronJob" }] }),
    pod("bare", { isOwned: false, hasFinalizer: false }),
  );
  harness.jobs.add(ended);
  for (const name of ["free", "ended", "gone", "owned", "set", "foreign", "cron", "bare", "missing"]) {
    await harness.syncOrphans(`a/${name}`);
  }
  assertEquals(harness.patched, ["free", "ended", "gone"]);
});

Deno.test("syncOrphans() tries a single pod again unless it is gone", async () => {
  const harness = new JobHarness(job(), pod("p", { isOwned: false }));
  harness.client.fail("patch", statusError(404, "NotFound"), { times: 1 });
  await harness.syncOrphans("a/p");
  harness.client.fail("patch", statusError(500, "InternalError", "broken"));
  await assertRejects(() => harness.syncOrphans("a/p"), Error, "broken");
});

Deno.test("syncOrphans() leaves the pods of a Job alone that another controller manages", async () => {
  const harness = new JobHarness(job({ managedBy: "acme.io/x" }, COMPLETE), pod("p"));
  await harness.syncOrphans("a/p");
  assertEquals(harness.client.calls, []);
});

Deno.test("syncOrphans() goes on with the pods of a selector when one cannot be freed", async () => {
  const orphans = ["p", "q", "r"].map((name) => pod(name, { isOwned: false }));
  const harness = new JobHarness(job(), ...orphans, pod("other", { isOwned: false, labels: { app: "y" } }));
  harness.client.fail("patch pods a/p", statusError(500, "InternalError"));
  harness.client.fail("patch pods a/q", statusError(404, "NotFound"));
  await harness.syncOrphans("a?app=x");
  assertEquals(harness.patched.sort(), ["p", "q", "r"]);
  assertEquals(harness.client.find(PODS, "a/r")?.metadata?.finalizers, undefined);
});
