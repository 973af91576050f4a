/** Indexed Jobs: which indexes get pods, which have ended, and how. */
import { assertEquals } from "@std/assert";
import type { Pod } from "../../../../src/api/mod.ts";
import { ago } from "../fake_times.ts";
import { INDEXED, job, JobHarness, pod } from "./fixtures.ts";

const succeeded = (...indexes: number[]) => indexes.map((index) => pod(`s${index}`, { index, phase: "Succeeded" }));
const labelsOf = (harness: JobHarness) =>
  harness.client.bodies<Pod>("create pods").map(({ metadata }) =>
    metadata?.labels?.["batch.kubernetes.io/job-completion-index"]
  );
const failuresOf = (harness: JobHarness) =>
  harness.client.bodies<Pod>("create pods").map(({ metadata }) => [
    metadata?.annotations?.["batch.kubernetes.io/job-index-failure-count"],
    metadata?.annotations?.["batch.kubernetes.io/job-index-ignored-failure-count"],
  ]);

Deno.test("syncJob() creates pods for the lowest indexes that have none and have not succeeded", async () => {
  const harness = new JobHarness(
    job({ ...INDEXED, parallelism: 8, completions: 20 }),
    pod("r0", { index: 0 }),
    pod("r3", { index: 3 }),
    ...succeeded(2, 4, 5, 7, 8, 9),
  );
  await harness.sync();
  assertEquals(labelsOf(harness), ["1", "6", "10", "11", "12", "13"]);
  assertEquals([harness.status.completedIndexes, harness.status.succeeded], ["2,4,5,7-9", 6]);
});

Deno.test("syncJob() gives an indexed pod its name, hostname, annotation, label and variable", async () => {
  const template = {
    metadata: { labels: { app: "x" }, annotations: { team: "blue" }, finalizers: ["example.com/mine"] },
    spec: {
      hostname: "mine",
      restartPolicy: "Never",
      initContainers: [{ name: "i", image: "i" }],
      containers: [
        {
          name: "c",
          image: "i",
          env: [{ name: "OTHER", value: "x" }, { name: "JOB_COMPLETION_INDEX", value: "mine" }],
        },
        { name: "d", image: "i" },
      ],
    },
  };
  const harness = new JobHarness(job({ ...INDEXED, completions: 1, template }));
  await harness.sync();
  const [{ metadata, spec }] = harness.client.bodies<Pod>("create pods");
  assertEquals(metadata?.generateName, "j-0-");
  assertEquals(metadata?.labels, { app: "x", "batch.kubernetes.io/job-completion-index": "0" });
  assertEquals(metadata?.annotations, { team: "blue", "batch.kubernetes.io/job-completion-index": "0" });
  assertEquals(metadata?.finalizers, ["example.com/mine", "batch.kubernetes.io/job-tracking"]);
  const fieldPath = "metadata.labels['batch.kubernetes.io/job-completion-index']";
  const variable = { name: "JOB_COMPLETION_INDEX", valueFrom: { fieldRef: { fieldPath } } };
  assertEquals([spec?.hostname, spec?.initContainers?.[0].env, spec?.containers.map(({ env }) => env)], [
    "j-0",
    [variable],
    [[{ name: "OTHER", value: "x" }, { name: "JOB_COMPLETION_INDEX", value: "mine" }], [variable]],
  ]);
});

Deno.test("syncJob() cuts the Job's name, not the index, when a pod's name would be too long", async () => {
  const name = "x".repeat(60);
  const harness = new JobHarness(job({ ...INDEXED, completions: 12, parallelism: 12 }, { name }));
  await harness.sync(`a/${name}`);
  const names = harness.client.bodies<Pod>("create pods").map(({ metadata }) => metadata!.generateName!);
  assertEquals([names[0], names[11]], [`${"x".repeat(55)}-0-`, `${"x".repeat(54)}-11-`]);
});

Deno.test("syncJob() deletes pods with an index that another has, and without a valid one, and creates none meanwhile", async () => {
  const harness = new JobHarness(
    job({ ...INDEXED, parallelism: 4, completions: 4 }),
    pod("one", { index: 1 }),
    pod("two", { index: 2, isReady: true, node: "n" }),
    pod("again", { index: 2 }),
    pod("odd", { index: "x" }),
    pod("none"),
  );
  await harness.sync();
  assertEquals([harness.deleted.sort(), harness.created], [["again", "none", "odd"], []]);
  assertEquals(harness.status.active, 2);
});

Deno.test("syncJob() deletes and never counts pods with indexes beyond a number of completions that has shrunk", async () => {
  const harness = new JobHarness(
    job({ ...INDEXED, parallelism: 5, completions: 5 }, { status: { completedIndexes: "0,6,9", succeeded: 3 } }),
    pod("s0", { index: 0, phase: "Succeeded", hasFinalizer: false }),
    pod("r5", { index: 5 }),
    pod("r7", { index: 7 }),
    pod("s8", { index: 8, phase: "Succeeded" }),
  );
  await harness.sync();
  assertEquals([harness.deleted, harness.created], [["r5", "r7"], []]);
  assertEquals([harness.status.completedIndexes, harness.status.succeeded], ["0", 1]);
  assertEquals(harness.patched.includes("s8"), true);
});

Deno.test("syncJob() keeps the finalizer of a failed pod until its replacement knows how often the index failed", async () => {
  const spec = { ...INDEXED, parallelism: 2, completions: 2, backoffLimitPerIndex: 1, backoffLimit: 2 ** 31 - 1 };
  const bad = pod("bad", { index: 0, phase: "Failed", failures: "0", endedAgo: 60 });
  const harness = new JobHarness(job(spec), bad, pod("run", { index: 1, failures: "0" }));
  await harness.sync();
  assertEquals([harness.created, failuresOf(harness)], [["j-0-"], [["1", undefined]]]);
  assertEquals([harness.patched, harness.status.failed, harness.status.failedIndexes], [[], undefined, ""]);
  harness.catchUp();
  await harness.sync();
  assertEquals([harness.patched, harness.status.failed, harness.created.length], [["bad"], 1, 1]);
});

Deno.test("syncJob() gives an index up after its last failure, and goes on with the others", async () => {
  const spec = { ...INDEXED, parallelism: 2, completions: 3, backoffLimitPerIndex: 1, backoffLimit: 2 ** 31 - 1 };
  const bad = pod("bad", { index: 0, phase: "Failed", failures: "1", endedAgo: 60 });
  const harness = new JobHarness(job(spec), bad, pod("run", { index: 1 }));
  await harness.sync();
  assertEquals([labelsOf(harness), harness.patched], [["2"], ["bad"]]);
  assertEquals([harness.status.failedIndexes, harness.status.failed, harness.conditions], ["0", 1, []]);
});

Deno.test("syncJob() waits for each index by its own failures, and for the first of them if all must wait", async () => {
  const spec = { ...INDEXED, parallelism: 3, completions: 3, backoffLimitPerIndex: 5, backoffLimit: 2 ** 31 - 1 };
  const failed = (index: number, failures: string, endedAgo: number) =>
    pod(`f${index}`, { index, phase: "Failed", failures, endedAgo });
  const waits = new JobHarness(job(spec), failed(0, "1", 5), failed(1, "0", 6), pod("run", { index: 2 }));
  await waits.sync();
  assertEquals([waits.created, waits.delays(), waits.status.active], [[], ["a/j 4 s"], 1]);
  const goes = new JobHarness(job(spec), failed(0, "1", 5), failed(1, "0", 11), pod("run", { index: 2 }));
  await goes.sync();
  assertEquals([labelsOf(goes), goes.delays()], [["1"], []]);
});

Deno.test("syncJob() fails a Job with more failed indexes than it allows", async () => {
  const spec = { ...INDEXED, parallelism: 3, completions: 9, backoffLimitPerIndex: 0, maxFailedIndexes: 1 };
  const harness = new JobHarness(
    job(spec, { status: { startTime: ago(9) } }),
    pod("f0", { index: 0, phase: "Failed" }),
    pod("f1", { index: 1, phase: "Failed" }),
    pod("r2", { index: 2 }),
  );
  await harness.sync();
  assertEquals(harness.conditions, ["FailureTarget=True MaxFailedIndexesExceeded"]);
  assertEquals([harness.status.failed, harness.status.terminating, harness.status.failedIndexes], [3, 1, "0,1"]);
});

Deno.test("syncJob() goes on with as many failed indexes as a Job allows", async () => {
  const spec = { ...INDEXED, parallelism: 3, completions: 9, backoffLimitPerIndex: 0, maxFailedIndexes: 1 };
  const harness = new JobHarness(job(spec), pod("f0", { index: 0, phase: "Failed" }), pod("r1", { index: 1 }));
  await harness.sync();
  assertEquals([harness.conditions, harness.status.failedIndexes, labelsOf(harness)], [[], "0", ["2", "3"]]);
});

Deno.test("syncJob() says that no index has failed yet, be that all there is to say", async () => {
  const status = { startTime: ago(60), uncountedTerminatedPods: {}, active: 1, ready: 0, terminating: 0 };
  const owner = job({ ...INDEXED, completions: 1, backoffLimitPerIndex: 1 }, { status });
  const harness = new JobHarness(owner, pod("r0", { index: 0 }));
  await harness.sync();
  assertEquals([harness.client.writes, harness.status.failedIndexes], [["put jobs/status a/j"], ""]);
});

Deno.test("syncJob() fails a Job whose indexes have all ended, some of them badly", async () => {
  const spec = { ...INDEXED, parallelism: 2, completions: 2, backoffLimitPerIndex: 0 };
  const harness = new JobHarness(job(spec), ...succeeded(0), pod("f1", { index: 1, phase: "Failed" }));
  await harness.sync();
  assertEquals(harness.conditions, ["FailureTarget=True FailedIndexes", "Failed=True FailedIndexes"]);
  assertEquals(harness.recorder.lines, ["Warning FailedIndexes a/j Job has failed indexes"]);
});

Deno.test("syncJob() counts an ignored failure of an index in an annotation of its own", async () => {
  const rules = [{ action: "Ignore", onExitCodes: { operator: "In", values: [5] } }];
  const spec = { ...INDEXED, completions: 1, backoffLimitPerIndex: 0, podFailurePolicy: { rules } };
  const traits = { index: 0, phase: "Failed", exitCode: 5, failures: "0", ignored: "2", endedAgo: 600 };
  const harness = new JobHarness(job(spec), pod("f0", traits));
  await harness.sync();
  assertEquals([failuresOf(harness), harness.status.failedIndexes], [[["0", "3"]], ""]);
});

Deno.test("syncJob() fails an index at once when the policy says so", async () => {
  const rules = [{ action: "FailIndex", onExitCodes: { operator: "In", values: [5] } }];
  const spec = { ...INDEXED, completions: 2, backoffLimitPerIndex: 3, podFailurePolicy: { rules } };
  const harness = new JobHarness(job(spec), pod("f0", { index: 0, phase: "Failed", exitCode: 5, endedAgo: 60 }));
  await harness.sync();
  assertEquals([harness.status.failedIndexes, labelsOf(harness)], ["0", ["1"]]);
});

Deno.test("syncJob() takes nonsense in the annotation of failures for none", async () => {
  const spec = { ...INDEXED, completions: 1, backoffLimitPerIndex: 1 };
  for (const failures of ["-1", "x", "2147483648"]) {
    const bad = pod("bad", { index: 0, phase: "Failed", failures, endedAgo: 600 });
    const harness = new JobHarness(job(spec), bad);
    await harness.sync();
    assertEquals(failuresOf(harness), [["1", undefined]], failures);
  }
});
