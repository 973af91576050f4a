/** How ended pods are counted, and each once. */
import { assertEquals, assertRejects } from "@std/assert";
import { JOBS, PODS } from "../../../../src/api/mod.ts";
import { syncJob } from "../../../../src/controllers/job/sync.ts";
import { BusyClock } from "../../base/busy_clock.ts";
import { statusError } from "../status_errors.ts";
import { ago } from "../fake_times.ts";
import { INDEXED, job, JobHarness, pod, pods } from "./fixtures.ts";

const started = { startTime: ago(60), uncountedTerminatedPods: {}, ready: 0, terminating: 0 };
const countOf = (harness: JobHarness) => [harness.status.succeeded ?? 0, harness.status.failed ?? 0];

Deno.test("syncJob() removes no finalizer when the status could not be written", async () => {
  const harness = new JobHarness(job({ completions: 2 }), pod("done", { phase: "Succeeded" }));
  harness.client.fail("put jobs/status", statusError(409, "Conflict", "changed"), { times: 1 });
  await assertRejects(() => harness.sync(), Error, "tracking status: adding uncounted pods to status: changed");
  assertEquals([harness.patched, harness.context.backoffs.size], [[], 0]);
  harness.catchUp();
  await harness.sync();
  assertEquals(countOf(harness), [1, 0]);
});

Deno.test("syncJob() counts only the pods whose finalizer is gone when one cannot be removed", async () => {
  const harness = new JobHarness(
    job({ completions: 5 }),
    pod("s", { phase: "Succeeded" }),
    pod("f", { phase: "Failed" }),
  );
  harness.client.fail("patch pods a/f", statusError(500, "InternalError", "broken"), { times: 1 });
  await assertRejects(() => harness.sync(), Error, "tracking status: broken");
  assertEquals(countOf(harness), [1, 0]);
  assertEquals(harness.status.uncountedTerminatedPods, { failed: ["uid-f"] });
  assertEquals([...harness.finalizers.awaited("a/j")], ["uid-s"]);
  harness.catchUp();
  await harness.sync();
  assertEquals(countOf(harness), [1, 1]);
  assertEquals(harness.status.uncountedTerminatedPods, {});
});

Deno.test("syncJob() counts an uncounted pod that is gone and keeps one that is not", async () => {
  const uncountedTerminatedPods = { succeeded: ["uid-a", "uid-e"] };
  const owner = job({ completions: 5 }, { status: { ...started, uncountedTerminatedPods } });
  const harness = new JobHarness(owner, pod("a", { phase: "Succeeded" }));
  harness.client.fail("patch", statusError(500, "InternalError"));
  await assertRejects(() => harness.sync());
  assertEquals([harness.status.succeeded, harness.status.uncountedTerminatedPods?.succeeded], [1, ["uid-a"]]);
});

Deno.test("syncJob() knows of uncounted pods when it looks whether the Job has come to its end", async () => {
  const of = (uncountedTerminatedPods: object) => ({ status: { ...started, uncountedTerminatedPods } });
  const ended = pods(2, { phase: "Succeeded" });
  const done = new JobHarness(job({ parallelism: 2, completions: 2 }, of({ succeeded: ["uid-p0"] })), ...ended);
  await done.sync();
  assertEquals([done.created, done.conditions[0]], [[], "SuccessCriteriaMet=True CompletionsReached"]);
  const bad = pods(2, { phase: "Failed" });
  const failed = new JobHarness(job({ backoffLimit: 1 }, of({ failed: ["uid-p0"] })), ...bad);
  await failed.sync();
  assertEquals(failed.conditions[0], "FailureTarget=True BackoffLimitExceeded");
});

Deno.test("syncJob() writes no status before it removes finalizers of pods that are in it already", async () => {
  const uncountedTerminatedPods = { succeeded: [], failed: ["uid-a"] };
  const owner = job({ suspend: true }, {
    status: {
      uncountedTerminatedPods,
      active: 0,
      ready: 0,
      terminating: 0,
      conditions: [{ type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" }],
    },
  });
  const harness = new JobHarness(owner, pod("a", { phase: "Failed" }));
  await harness.sync();
  assertEquals(harness.client.writes, ["patch pods a/a", "put jobs/status a/j"]);
  assertEquals(countOf(harness), [0, 1]);
});

Deno.test("syncJob() counts no pod again whose finalizer is gone, whatever the cache still shows", async () => {
  const harness = new JobHarness(job({ completions: 5 }), pod("a", { phase: "Succeeded" }));
  await harness.sync();
  assertEquals(countOf(harness), [1, 0]);
  for (const owner of harness.client.all(JOBS)) harness.jobs.add(owner); // of the pods it hears later
  harness.jobs.bookmark("9999");
  harness.pods.bookmark("9999");
  await harness.sync();
  assertEquals([countOf(harness), harness.patched.length], [[1, 0], 1]);
});

Deno.test("syncJob() counts no pod again whose finalizer is seen to be gone after the pods were listed", async () => {
  const harness = new JobHarness(job({ completions: 5 }), pod("a", { phase: "Succeeded" }));
  await harness.sync();
  for (const owner of harness.client.all(JOBS)) harness.jobs.add(owner);
  harness.jobs.bookmark("9999");
  harness.pods.bookmark("9999");
  const clock = new BusyClock({ onTurn: () => harness.finalizers.observe("a/j", "uid-a") });
  await syncJob("a/j", { ...harness.context, world: { ...harness.world, clock } });
  assertEquals([countOf(harness), clock.turns > 0], [[1, 0], true]);
});

Deno.test("syncJob() takes its turns among the pods that it ends", async () => {
  const spec = { parallelism: 60, completions: 60 };
  for (const more of [{ suspend: true }, { activeDeadlineSeconds: 1 }]) {
    const harness = new JobHarness(job({ ...spec, ...more }, { status: started }), ...pods(60));
    const clock = new BusyClock();
    await syncJob("a/j", { ...harness.context, world: { ...harness.world, clock } });
    const deleted = harness.client.writes.filter((text) => text.startsWith("delete pods"));
    assertEquals([deleted.length, clock.turns >= 120], [60, true], `${clock.turns} turns`); // claimed, then deleted
  }
});

Deno.test("syncJob() takes a pod that is gone for one without finalizer", async () => {
  const harness = new JobHarness(job({ completions: 5 }), pod("a", { phase: "Failed" }));
  harness.client.fail("patch", statusError(404, "NotFound"));
  await harness.sync();
  assertEquals([countOf(harness), harness.finalizers.awaited("a/j").size], [[0, 1], 0]);
});

Deno.test("syncJob() counts at most 500 pods at a time and is not finished before it has counted all", async () => {
  const harness = new JobHarness(job({ completions: 700, parallelism: 700 }), ...pods(700, { phase: "Succeeded" }));
  await harness.sync();
  assertEquals([harness.patched.length, harness.status.succeeded], [500, 500]);
  assertEquals(harness.conditions, ["SuccessCriteriaMet=True CompletionsReached"]);
  harness.catchUp();
  await harness.sync();
  assertEquals([harness.status.succeeded, harness.conditions.length], [700, 2]);
});

Deno.test("syncJob() recreates what is missing after a crash between any two writes, and counts each pod once", async () => {
  // What a crash leaves behind after each of the three writes: the uid, the finalizer, the number.
  const uncountedTerminatedPods = { succeeded: ["uid-a"] };
  const before = { ...started, uncountedTerminatedPods };
  for (const hasFinalizer of [true, false]) {
    const harness = new JobHarness(
      job({ completions: 5 }, { status: before }),
      pod("a", { phase: "Succeeded", hasFinalizer }),
    );
    await harness.sync();
    assertEquals([countOf(harness), harness.status.uncountedTerminatedPods], [[1, 0], {}]);
  }
  const counted = new JobHarness(
    job({ completions: 5 }, { status: { ...started, succeeded: 1 } }),
    pod("a", { phase: "Succeeded", hasFinalizer: false }),
  );
  await counted.sync();
  assertEquals(countOf(counted), [1, 0]);
});

Deno.test("syncJob() counts a pod past its deadline as failed, and none that a success policy ends", async () => {
  const late = new JobHarness(job({ activeDeadlineSeconds: 5 }, { status: started }), pod("run", { isReady: true }));
  await late.sync();
  assertEquals([countOf(late), late.conditions], [[0, 1], ["FailureTarget=True DeadlineExceeded"]]);
  assertEquals([late.status.terminating, late.status.ready, late.status.active], [1, 0, undefined]);

  const rules = [{ succeededIndexes: "0" }];
  const spec = { ...INDEXED, completions: 3, parallelism: 3, successPolicy: { rules } };
  const met = new JobHarness(
    job(spec, { status: started }),
    pod("p0", { index: 0, phase: "Succeeded" }),
    pod("p1", { index: 1 }),
    pod("p2", { index: 2 }),
  );
  await met.sync();
  assertEquals([countOf(met), met.conditions, met.deleted], [[1, 0], ["SuccessCriteriaMet=True SuccessPolicy"], [
    "p1",
    "p2",
  ]]);
  assertEquals(met.patched.sort(), ["p0", "p1", "p2"]);
  met.catchUp();
  await met.sync();
  assertEquals(met.conditions.at(-1), "Complete=True SuccessPolicy");
});

Deno.test("syncJob() tells of pods that succeeded beyond what was asked for", async () => {
  const harness = new JobHarness(job({ completions: 1 }), ...pods(2, { phase: "Succeeded" }));
  await harness.sync();
  assertEquals(harness.recorder.lines, [
    "Warning TooManySucceededPods a/j Too many succeeded pods running after completion count reached",
    "Normal Completed a/j Job completed",
  ]);
});

Deno.test("syncJob() waits with the last condition until no pod is on its way out", async () => {
  const stays = pod("going", { deletionTimestamp: ago(1), hasFinalizer: false });
  const harness = new JobHarness(
    job({ completions: 1, podReplacementPolicy: "Failed" }),
    pod("a", { phase: "Succeeded" }),
    stays,
  );
  await harness.sync();
  assertEquals(harness.conditions, ["SuccessCriteriaMet=True CompletionsReached"]);
  harness.client.store(PODS, { ...stays, status: { phase: "Failed" } });
  harness.catchUp();
  await harness.sync();
  assertEquals([harness.conditions.at(-1), countOf(harness)], ["Complete=True CompletionsReached", [1, 0]]);
});

Deno.test("syncJob() writes nothing when nothing has changed", async () => {
  const status = { ...started, active: 1 };
  const harness = new JobHarness(job({}, { status }), pod("run"));
  await harness.sync();
  assertEquals(harness.client.calls, []);
});
