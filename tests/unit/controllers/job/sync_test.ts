/** Syncs that are about a Job's pods, and about how a Job ends. */
import { assertEquals, assertRejects } from "@std/assert";
import type { Pod } from "../../../../src/api/mod.ts";
import { StaleCacheError } from "../../../../src/cache/mod.ts";
import { ago } from "../fake_times.ts";
import { INDEXED, job, JobHarness, pod, pods } from "./fixtures.ts";
import { namespaceTerminating, statusError } from "../status_errors.ts";

const LIMIT = "Job has reached the specified backoff limit";

Deno.test("syncJob() creates the pods of a new Job and says when it started", async () => {
  const harness = new JobHarness(job({ parallelism: 2, completions: 5 }));
  await harness.sync();
  assertEquals(harness.created, ["j-", "j-"]);
  assertEquals(harness.status, {
    active: 2,
    ready: 0,
    terminating: 0,
    startTime: ago(0),
    uncountedTerminatedPods: {},
  });
  assertEquals(harness.expectations.pending("a/j"), { add: 2, del: 0 });
  const [created] = harness.client.bodies<Pod>("create pods");
  assertEquals(created.metadata?.finalizers, ["batch.kubernetes.io/job-tracking"]);
  assertEquals(created.metadata?.ownerReferences, [{
    apiVersion: "batch/v1",
    kind: "Job",
    name: "j",
    uid: "uid-j",
    controller: true,
    blockOwnerDeletion: true,
  }]);
});

Deno.test("syncJob() creates as many pods as may run at a time when there is no number of completions", async () => {
  const harness = new JobHarness(job({ parallelism: 2 }));
  await harness.sync();
  assertEquals(harness.created.length, 2);
});

Deno.test("syncJob() writes the uid, removes the finalizer, and counts the pod, in this order", async () => {
  const harness = new JobHarness(
    job({ parallelism: 2, completions: 5 }),
    pod("run"),
    pod("done", { phase: "Succeeded" }),
  );
  await harness.sync();
  assertEquals(harness.client.writes, [
    "create pods a/j-*",
    "put jobs/status a/j",
    "patch pods a/done",
    "put jobs/status a/j",
  ]);
  assertEquals(harness.statuses.map(({ uncountedTerminatedPods, succeeded }) => [uncountedTerminatedPods, succeeded]), [
    [{ succeeded: ["uid-done"], failed: [] }, undefined],
    [{ succeeded: [], failed: [] }, 1],
  ]);
  assertEquals(harness.client.bodies("patch pods"), [{
    metadata: { "$deleteFromPrimitiveList/finalizers": ["batch.kubernetes.io/job-tracking"] },
  }]);
});

Deno.test("syncJob() takes finalizers off superfluous pods and deletes them", async () => {
  const harness = new JobHarness(job({ parallelism: 2, completions: 5 }), ...pods(10));
  await harness.sync();
  assertEquals([harness.patched.length, harness.deleted.length, harness.created.length], [8, 8, 0]);
  assertEquals([harness.status.active, harness.status.terminating], [2, 8]);
  assertEquals(harness.expectations.pending("a/j"), { add: 0, del: 8 });
  for (const name of harness.deleted) {
    const calls = harness.client.writes;
    assertEquals(calls.indexOf(`patch pods a/${name}`) < calls.indexOf(`delete pods a/${name}`), true);
  }
});

Deno.test("syncJob() keeps no more pods than completions are missing", async () => {
  const ended = pods(2, { phase: "Succeeded" }, "s");
  const harness = new JobHarness(job({ parallelism: 3, completions: 4 }), ...pods(3), ...ended);
  await harness.sync();
  assertEquals(harness.deleted.length, 1);
  assertEquals([harness.status.active, harness.status.succeeded], [2, 2]);
});

Deno.test("syncJob() starts nothing more once a pod of a Job without completions has succeeded", async () => {
  const harness = new JobHarness(job({ parallelism: 3 }), pod("run"), pod("done", { phase: "Succeeded" }));
  await harness.sync();
  assertEquals([harness.created, harness.status.succeeded, harness.conditions], [[], 1, []]);
});

Deno.test("syncJob() completes a Job without completions by one success, whatever else failed", async () => {
  const ended = [pod("good", { phase: "Succeeded" }), pod("bad", { phase: "Failed" })];
  const harness = new JobHarness(job({ parallelism: 2 }), ...ended);
  await harness.sync();
  assertEquals(harness.conditions, ["SuccessCriteriaMet=True CompletionsReached", "Complete=True CompletionsReached"]);
  const { succeeded, failed, completionTime, conditions } = harness.status;
  assertEquals([succeeded, failed, completionTime], [1, 1, ago(0)]);
  assertEquals(conditions![1].message, "Reached expected number of succeeded pods");
  assertEquals(harness.statuses[0].conditions?.map(({ type }) => type), ["SuccessCriteriaMet"]);
  assertEquals(harness.recorder.lines, ["Normal Completed a/j Job completed"]);
});

Deno.test("syncJob() counts the pods it creates, by the reason", async () => {
  const rows: [spec: object, there: Pod[], reason: string][] = [
    [{}, [], "new"],
    [{}, [pod("bad", { phase: "Failed", endedAgo: 60 })], "recreate_terminating_or_failed"],
    [{ podReplacementPolicy: "Failed" }, [pod("bad", { phase: "Failed", endedAgo: 60 })], "recreate_failed"],
    [{ podReplacementPolicy: "Failed" }, [], "new"],
    [
      { podReplacementPolicy: "Failed", parallelism: 2, completions: 2 },
      [pod("going", { deletionTimestamp: ago(9) })],
      "recreate_terminating_or_failed",
    ],
  ];
  for (const [spec, there, reason] of rows) {
    const harness = new JobHarness(job(spec), ...there);
    const counter = harness.metrics.counter({ name: "job_controller_job_pods_creation_total", help: "" });
    await harness.sync();
    assertEquals([counter.value([reason, "succeeded"]), counter.value([reason, "failed"])], [1, 0], reason);
  }
  const refused = new JobHarness(job({ parallelism: 3, completions: 3 }));
  refused.client.fail("create", statusError(403, "Forbidden"), { skip: 2 });
  await assertRejects(() => refused.sync());
  const counter = refused.metrics.counter({ name: "job_controller_job_pods_creation_total", help: "" });
  assertEquals([counter.value(["new", "succeeded"]), counter.value(["new", "failed"])], [3, 1]);
});

Deno.test("syncJob() stops creating after the batch in which a creation fails, and reports the failure", async () => {
  const harness = new JobHarness(job({ parallelism: 100, completions: 200 }));
  harness.client.fail("create", statusError(403, "Forbidden", "exceeded quota"), { skip: 10 });
  await assertRejects(() => harness.sync(), Error, "exceeded quota");
  assertEquals([harness.created.length, harness.status.active], [15, 10]);
  assertEquals(harness.expectations.pending("a/j"), { add: 10, del: 0 });
});

Deno.test("syncJob() creates and deletes at most 500 pods at a time", async () => {
  const more = new JobHarness(job({ parallelism: 1200, completions: 1200 }));
  await more.sync();
  assertEquals([more.created.length, more.status.active], [500, 500]);
  const fewer = new JobHarness(job({ parallelism: 0, completions: 900 }), ...pods(600));
  await fewer.sync();
  assertEquals([fewer.deleted.length, fewer.status.active], [500, 100]);
});

Deno.test("syncJob() ends running pods with a Job that fails, and says Failed when they are gone", async () => {
  const spec = { ...INDEXED, completions: 4, parallelism: 4, backoffLimit: 0 };
  const harness = new JobHarness(
    job(spec),
    pod("p0", { index: 0, phase: "Succeeded" }),
    pod("p1", { index: 1, phase: "Failed" }),
    pod("p2", { index: 2 }),
    pod("p3", { index: 3 }),
  );
  await harness.sync();
  assertEquals(harness.deleted, ["p2", "p3"]);
  assertEquals(harness.conditions, ["FailureTarget=True BackoffLimitExceeded"]);
  const { active, failed, terminating, completedIndexes, uncountedTerminatedPods } = harness.status;
  assertEquals([active, failed, terminating, completedIndexes], [undefined, 3, 2, "0"]);
  assertEquals(uncountedTerminatedPods, {});
  const deletions = ["p2", "p3"].map((name) => `Normal SuccessfulDelete a/j Deleted pod: ${name}`);
  assertEquals(harness.recorder.lines, deletions);

  harness.catchUp();
  await harness.sync();
  assertEquals(harness.conditions, ["FailureTarget=True BackoffLimitExceeded", "Failed=True BackoffLimitExceeded"]);
  assertEquals(harness.status.conditions![1].message, LIMIT);
  assertEquals(harness.recorder.lines.at(-1), `Warning BackoffLimitExceeded a/j ${LIMIT}`);
  assertEquals(harness.status.completionTime, undefined);
});

Deno.test("syncJob() says nothing of a Job's end while a running pod could not be deleted", async () => {
  const harness = new JobHarness(job({ backoffLimit: 0, parallelism: 2 }), pod("bad", { phase: "Failed" }), pod("run"));
  harness.client.fail("delete", statusError(500, "InternalError", "broken"));
  await assertRejects(() => harness.sync(), Error, "unable to delete pods: broken");
  assertEquals([harness.conditions, harness.status.active, harness.status.failed], [[], 1, 1]);
});

Deno.test("syncJob() waits 10 s after a failure, with the active pods as they are", async () => {
  const harness = new JobHarness(
    job({ completions: 3, parallelism: 3 }),
    pod("bad", { phase: "Failed", endedAgo: 3 }),
    pod("run"),
  );
  await harness.sync();
  assertEquals([harness.created, harness.delays(), harness.status.active], [[], ["a/j 7 s"], 1]);
  harness.catchUp();
  await harness.world.clock.advance(7_000);
  await harness.sync();
  assertEquals(harness.created.length, 2);
});

Deno.test("syncJob() waits for pods on their way out when only failed pods are replaced", async () => {
  const going = { deletionTimestamp: ago(1) };
  const spec = { parallelism: 2, completions: 4, podReplacementPolicy: "Failed" };
  const harness = new JobHarness(job(spec), pod("going", going));
  await harness.sync();
  assertEquals([harness.created.length, harness.status.terminating, harness.status.failed], [1, 1, undefined]);
});

Deno.test("syncJob() counts a pod on its way out as failed at once unless only failed pods are replaced", async () => {
  const harness = new JobHarness(job({ backoffLimit: 6 }), pod("going", { deletionTimestamp: ago(60), endedAgo: 60 }));
  await harness.sync();
  assertEquals([harness.created.length, harness.status.failed, harness.patched], [1, 1, ["going"]]);
});

Deno.test("syncJob() says nothing about a namespace that is being deleted, and expects its pods until the end", async () => {
  const harness = new JobHarness(job());
  harness.client.fail("create", namespaceTerminating());
  await harness.sync();
  assertEquals(harness.recorder.lines, []);
  assertEquals([harness.expectations.pending("a/j"), harness.status.active], [{ add: 1, del: 0 }, 1]);
});

Deno.test("syncJob() creates nothing while it has not seen its last pods, and still counts ended ones", async () => {
  const harness = new JobHarness(job({ completions: 3, parallelism: 2 }), pod("done", { phase: "Succeeded" }));
  harness.expectations.set("a/j", { add: 1 });
  await harness.sync();
  assertEquals([harness.created, harness.status.succeeded], [[], 1]);
});

Deno.test("syncJob() does not act on caches that lag behind its own writes", async () => {
  const harness = new JobHarness(job());
  await harness.sync();
  await assertRejects(() => harness.sync(), StaleCacheError);
  assertEquals(
    harness.metrics.counter({ name: "job_controller_stale_sync_skips_total", help: "" }).value(["batch", "jobs"]),
    1,
  );
});

Deno.test("syncJob() deletes nothing and creates nothing for a Job that is being deleted, and frees its pods", async () => {
  const harness = new JobHarness(
    job({ parallelism: 3 }, { deletionTimestamp: ago(1), finalizers: ["x/y"] }),
    pod("run"),
  );
  await harness.sync();
  assertEquals([harness.created, harness.deleted, harness.patched], [[], [], ["run"]]);
  assertEquals([harness.status.failed, harness.status.active], [undefined, 1]);
});

Deno.test("syncJob() touches no Job that is managed by another controller", async () => {
  const harness = new JobHarness(job({ managedBy: "acme.io/x" }), pod("done", { phase: "Succeeded" }));
  await harness.sync();
  assertEquals(harness.client.calls, []);
  const ours = new JobHarness(job({ managedBy: "kubernetes.io/job-controller" }));
  await ours.sync();
  assertEquals(ours.created.length, 1);
});

Deno.test("syncJob() reports a completion mode that it does not know", async () => {
  const harness = new JobHarness(job({ completionMode: "Folded" }));
  await harness.sync();
  assertEquals(harness.client.calls, []);
  assertEquals(harness.recorder.lines, [
    "Warning UnknownCompletionMode a/j Skipped Job sync because completion mode is unknown",
  ]);
});

Deno.test("syncJob() forgets a Job that is gone", async () => {
  const harness = new JobHarness(job());
  harness.expectations.set("a/gone", { add: 1 });
  harness.finalizers.expect("a/gone", ["u"]);
  harness.context.backoffs.set("a/gone", { failures: 1, lastFailureMs: 0 });
  await harness.sync("a/gone");
  assertEquals(harness.expectations.pending("a/gone"), undefined);
  assertEquals([harness.finalizers.awaited("a/gone").size, harness.context.backoffs.size], [0, 0]);
});

Deno.test("syncJob() forgets the failures of a Job that has ended", async () => {
  const harness = new JobHarness(job({}, { status: { conditions: [{ type: "Failed", status: "True" }] } }));
  harness.context.backoffs.set("a/j", { failures: 1, lastFailureMs: 0 });
  await harness.sync();
  assertEquals([harness.context.backoffs.size, harness.client.calls], [0, []]);
});

Deno.test("syncJob() leaves a Job alone that it has finished, also before its cache shows it", async () => {
  const harness = new JobHarness(job({}, { status: { startTime: ago(9) } }), pod("done", { phase: "Succeeded" }));
  await harness.sync();
  assertEquals(harness.conditions.length, 2);
  const calls = harness.client.calls.length;
  harness.jobs.bookmark("9999"); // the version is reached, the Job itself held back
  harness.pods.bookmark("9999");
  await harness.sync();
  harness.catchUp();
  await harness.sync();
  assertEquals([harness.client.calls.length, harness.context.ended.size], [calls, 0]);
});

Deno.test("syncJob() adopts orphans with the finalizer, after a look at the Job, and counts them", async () => {
  const orphan = pod("orphan", { isOwned: false, hasFinalizer: false, phase: "Succeeded" });
  const harness = new JobHarness(job(), orphan);
  await harness.sync();
  assertEquals(harness.client.calls.slice(0, 2).map(({ text }) => text), ["get jobs a/j", "patch pods a/orphan"]);
  const [adoption] = harness.client.bodies<Pod>("patch pods a/orphan");
  assertEquals([adoption.metadata?.uid, adoption.metadata?.finalizers], [
    "uid-orphan",
    ["batch.kubernetes.io/job-tracking"],
  ]);
  assertEquals([harness.status.succeeded, harness.conditions.length], [1, 2]);
});

Deno.test("syncJob() releases a pod that matches no longer, with its finalizer", async () => {
  const harness = new JobHarness(job(), pod("other", { labels: { app: "y" } }));
  await harness.sync();
  assertEquals(harness.client.bodies("patch pods a/other"), [{
    metadata: {
      uid: "uid-other",
      ownerReferences: [{ $patch: "delete", uid: "uid-j" }],
      "$deleteFromPrimitiveList/finalizers": ["batch.kubernetes.io/job-tracking"],
    },
  }]);
});
