/** Why Jobs end: limits, deadlines, policies; and suspension. */
import { assertEquals } from "@std/assert";
import type { JobCondition, PodFailurePolicyRule } from "../../../../src/api/mod.ts";
import { syncJob } from "../../../../src/controllers/job/sync.ts";
import { ago } from "../fake_times.ts";
import { INDEXED, job, JobHarness, pod, type PodTraits } from "./fixtures.ts";

const started = (seconds: number) => ({ status: { startTime: ago(seconds), uncountedTerminatedPods: {} } });
const onExitCodes = (operator: string, values: number[], containerName?: string) => ({
  onExitCodes: { operator, values, containerName },
});

Deno.test("syncJob() counts restarts in place towards the limit of a Job whose pods restart", async () => {
  const template = {
    ...job().spec!.template,
    spec: { restartPolicy: "OnFailure", containers: [{ name: "c", image: "i" }] },
  };
  const rows: [backoffLimit: number, restarts: number, phase: string, ends: boolean][] = [
    [1, 1, "Running", true],
    [1, 0, "Running", false],
    [0, 1, "Pending", true],
    [0, 0, "Running", false],
    [2, 1, "Running", false],
  ];
  for (const [backoffLimit, restarts, phase, ends] of rows) {
    const harness = new JobHarness(job({ template, backoffLimit }), pod("p", { restarts, phase }));
    await harness.sync();
    assertEquals(harness.conditions, ends ? ["FailureTarget=True BackoffLimitExceeded"] : []);
  }
});

Deno.test("syncJob() names the exceeded limit, not the deadline, when both have passed", async () => {
  const harness = new JobHarness(
    job({ backoffLimit: 0, activeDeadlineSeconds: 5 }, started(9)),
    pod("p", { phase: "Failed" }),
  );
  await harness.sync();
  assertEquals(harness.conditions[0], "FailureTarget=True BackoffLimitExceeded");
});

Deno.test("syncJob() looks again when the deadline will have passed, unless the Job is suspended", async () => {
  const harness = new JobHarness(job({ activeDeadlineSeconds: 30 }, started(9)), pod("p"));
  await harness.sync();
  assertEquals(harness.delays(), ["a/j 21 s"]);
  const suspended = new JobHarness(job({ activeDeadlineSeconds: 3, suspend: true }, started(9)));
  await suspended.sync();
  assertEquals([suspended.delays(), suspended.conditions], [[], ["Suspended=True JobSuspended"]]);
});

Deno.test("syncJob() takes a deadline that overflows Go's durations for one that has passed, as upstream does", async () => {
  const harness = new JobHarness(job({ activeDeadlineSeconds: 9_223_372_037 }, started(9)), pod("p"));
  await harness.sync();
  assertEquals(harness.conditions, ["FailureTarget=True DeadlineExceeded"]);
});

Deno.test("syncJob() holds on to what an earlier sync announced, and ignores a FailureTarget that is not true", async () => {
  const condition = (type: string, status: string): JobCondition => ({ type, status, reason: "R", message: "M" });
  const announced = (conditions: JobCondition[]) => job({}, { status: { ...started(9).status, conditions } });
  const failing = new JobHarness(announced([condition("FailureTarget", "True")]));
  await failing.sync();
  assertEquals(failing.conditions, ["FailureTarget=True R", "Failed=True R"]);
  const done = new JobHarness(announced([condition("SuccessCriteriaMet", "True")]), pod("bad", { phase: "Failed" }));
  await done.sync();
  assertEquals(done.conditions, ["SuccessCriteriaMet=True R", "Complete=True R"]);
  const ignored = new JobHarness(announced([condition("FailureTarget", "False")]));
  await ignored.sync();
  assertEquals([ignored.conditions, ignored.created.length], [["FailureTarget=False R"], 1]);
});

/** What becomes of a Job with one failed pod under a failure policy of one rule. */
async function judged(rule: PodFailurePolicyRule, traits: PodTraits): Promise<JobHarness> {
  const rules = [{ action: "Nonsense", ...onExitCodes("In", [3]) }, rule];
  const harness = new JobHarness(job({ podFailurePolicy: { rules } }), pod("p", { phase: "Failed", ...traits }));
  await harness.sync();
  return harness;
}

Deno.test("syncJob() fails the Job by a rule of its failure policy, and says which", async () => {
  const byCode = await judged({ action: "FailJob", ...onExitCodes("In", [3], "c") }, { exitCode: 3 });
  assertEquals(byCode.conditions, ["FailureTarget=True PodFailurePolicy", "Failed=True PodFailurePolicy"]);
  const message = "Container c for pod a/p failed with exit code 3 matching FailJob rule at index 1";
  assertEquals(byCode.status.conditions!.map((condition) => condition.message), [message, message]);
  assertEquals(byCode.recorder.lines, [`Warning PodFailurePolicy a/j ${message}`]);
  assertEquals(byCode.status.failed, 1);

  const onPodConditions = [{ type: "Ready", status: "False" }];
  const byCondition = await judged({ action: "FailJob", onPodConditions }, {});
  assertEquals(
    byCondition.status.conditions?.[0].message,
    "Pod a/p has condition Ready matching FailJob rule at index 1",
  );
});

Deno.test("syncJob() counts a failure unless a rule of the failure policy ignores it", async () => {
  const rows: [rule: PodFailurePolicyRule, traits: PodTraits, failed: number | undefined][] = [
    [{ action: "Ignore", ...onExitCodes("In", [3]) }, { exitCode: 3 }, undefined],
    [{ action: "Ignore", ...onExitCodes("NotIn", [4]) }, { exitCode: 3 }, undefined],
    [{ action: "Ignore", ...onExitCodes("NotIn", [3]) }, { exitCode: 3 }, 1],
    [{ action: "Ignore", ...onExitCodes("In", [3], "d") }, { exitCode: 3 }, 1],
    [{ action: "Ignore", ...onExitCodes("Near", [3]) }, { exitCode: 3 }, 1],
    [{ action: "Ignore", ...onExitCodes("NotIn", [4]) }, { exitCode: 0 }, 1],
    [{ action: "Count", ...onExitCodes("In", [3]) }, { exitCode: 3 }, 1],
    [{ action: "Ignore", onPodConditions: [{ type: "Ready", status: "False" }] }, {}, undefined],
    [{ action: "Ignore", onPodConditions: [{ type: "Ready", status: "True" }] }, {}, 1],
    [{ action: "Ignore", onPodConditions: [{ type: "Other", status: "False" }] }, {}, 1],
  ];
  for (const [rule, traits, failed] of rows) {
    const harness = await judged(rule, { ...traits, endedAgo: 600 });
    assertEquals([harness.status.failed, harness.patched], [failed, ["p"]], JSON.stringify(rule));
    assertEquals(harness.created.length, 1, "it is replaced in any case");
  }
});

Deno.test("syncJob() shows in its metrics what has ended, once, and by which rule", async () => {
  const counted = ({ metrics }: JobHarness, name: string, ...labels: string[]) =>
    metrics.counter({ name: `job_controller_${name}`, help: "" }).value(labels);
  const failed = await judged({ action: "FailJob", ...onExitCodes("In", [3]) }, { exitCode: 3 });
  assertEquals(counted(failed, "jobs_finished_total", "NonIndexed", "PodFailurePolicy", "failed"), 1);
  assertEquals(counted(failed, "job_pods_finished_total", "NonIndexed", "failed"), 1);
  assertEquals(counted(failed, "pod_failures_handled_by_failure_policy_total", "FailJob"), 1);
  const done = [0, 1].map((index) => pod(`s${index}`, { index, phase: "Succeeded" }));
  const indexed = new JobHarness(job({ ...INDEXED, completions: 2 }), ...done);
  await indexed.sync();
  assertEquals(counted(indexed, "jobs_finished_total", "Indexed", "CompletionsReached", "succeeded"), 1);
  assertEquals(counted(indexed, "job_pods_finished_total", "Indexed", "succeeded"), 2);
  assertEquals(counted(indexed, "job_finished_indexes_total", "global", "succeeded"), 2);
});

Deno.test("syncJob() waits after ignored failures too", async () => {
  const harness = await judged({ action: "Ignore", ...onExitCodes("In", [3]) }, { exitCode: 3, endedAgo: 4 });
  assertEquals([harness.created, harness.delays()], [[], ["a/j 6 s"]]);
});

Deno.test("syncJob() completes an Indexed Job by the first rule of its success policy that holds", async () => {
  const rows: [rules: { succeededIndexes?: string; succeededCount?: number }[], message: string | undefined][] = [
    [[{ succeededIndexes: "0-1" }, { succeededIndexes: "0,2" }], "Matched rules at index 1"],
    [[{ succeededIndexes: "0-3", succeededCount: 2 }], "Matched rules at index 0"],
    [[{ succeededIndexes: "0-3", succeededCount: 3 }], undefined],
    [[{ succeededCount: 2 }], "Matched rules at index 0"],
    [[{ succeededCount: 3 }], undefined],
    [[{ succeededIndexes: "x", succeededCount: 1 }], undefined],
  ];
  for (const [rules, message] of rows) {
    const spec = { ...INDEXED, completions: 4, parallelism: 4, successPolicy: { rules } };
    const done = [0, 2].map((index) => pod(`s${index}`, { index, phase: "Succeeded" }));
    const harness = new JobHarness(job(spec), ...done, pod("r1", { index: 1 }));
    await harness.sync();
    assertEquals(harness.status.conditions?.[0].message, message, JSON.stringify(rules));
    assertEquals(harness.status.conditions?.map(({ reason }) => reason), message && ["SuccessPolicy"]);
  }
});

Deno.test("syncJob() deletes the pods of a Job that is suspended, and forgets when it started", async () => {
  const harness = new JobHarness(
    job({ suspend: true, parallelism: 2 }, started(60)),
    pod("p1", { isReady: true }),
    pod("p2"),
  );
  await harness.sync();
  assertEquals([harness.patched, harness.deleted], [["p2", "p1"], ["p2", "p1"]]);
  const { active, ready, terminating, startTime, conditions } = harness.status;
  assertEquals([active, ready, terminating, startTime], [undefined, 0, 2, undefined]);
  assertEquals(conditions, [{
    type: "Suspended",
    status: "True",
    reason: "JobSuspended",
    message: "Job suspended",
    lastProbeTime: ago(0),
    lastTransitionTime: ago(0),
  }]);
  assertEquals(harness.recorder.lines.at(-1), "Normal Suspended a/j Job suspended");
});

Deno.test("syncJob() remembers when a suspended Job started where the gate for that is off", async () => {
  const harness = new JobHarness(job({ suspend: true }, started(60)));
  await syncJob("a/j", { ...harness.context, keepsStartTime: true });
  assertEquals([harness.status.startTime, harness.conditions], [ago(60), ["Suspended=True JobSuspended"]]);
});

Deno.test("syncJob() says only once that a Job is suspended", async () => {
  const harness = new JobHarness(job({ suspend: true }, started(60)));
  await harness.sync();
  harness.catchUp();
  const [calls, events] = [harness.client.calls.length, harness.recorder.lines.length];
  await harness.sync();
  assertEquals([harness.client.calls.length, harness.recorder.lines.length], [calls, events]);
});

Deno.test("syncJob() suspends nothing before it has seen its last pods", async () => {
  const harness = new JobHarness(job({ suspend: true }, started(60)), pod("p1"));
  harness.expectations.set("a/j", { add: 1 });
  await harness.sync();
  assertEquals([harness.deleted, harness.conditions, harness.recorder.lines], [[], [], []]);
});

Deno.test("syncJob() creates pods for a Job that is resumed, and counts its time anew", async () => {
  const conditions = [{ type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" }];
  const harness = new JobHarness(job({ parallelism: 2 }, { status: { startTime: ago(60), conditions } }));
  await harness.sync();
  assertEquals([harness.created.length, harness.status.startTime, harness.conditions], [2, ago(0), [
    "Suspended=False JobResumed",
  ]]);
  assertEquals(harness.recorder.lines.at(-1), "Normal Resumed a/j Job resumed");
  const fresh = new JobHarness(job({ parallelism: 2 }));
  await fresh.sync();
  assertEquals(fresh.conditions, [], "nothing is said of what never was");
});
