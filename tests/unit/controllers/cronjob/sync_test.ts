/** What one sync of a CronJob does: starts, skips, replaces, and what it writes to the status. */
import { assertEquals, assertRejects } from "@std/assert";
import { type CronJob, CRONJOBS, formatTime, type Job, JOBS } from "../../../../src/api/mod.ts";
import { namespaceTerminating, statusError } from "../status_errors.ts";
import { active, at, cronJob, CronJobHarness, jobOf } from "./fixtures.ts";

const TEN = formatTime(at("10:00:00"));
const created = { creationTimestamp: formatTime(at("09:01:00")) };
const UNTIL_ELEVEN = ["a/c 3540.1 s"];

Deno.test("syncCronJob() waits for the first time of a schedule", async () => {
  const harness = new CronJobHarness(at("09:59:00"), cronJob());
  await harness.sync();
  assertEquals([harness.client.writes, harness.delays()], [[], ["a/c 60.1 s"]]);
});

Deno.test("syncCronJob() starts the Job of a time that has come, whatever the policy", async () => {
  for (const concurrencyPolicy of ["Allow", "Forbid", "Replace"]) {
    const harness = new CronJobHarness(at("10:01:00"), cronJob({ concurrencyPolicy }, created));
    await harness.sync();
    assertEquals([harness.created, harness.activeNames], [["c-24394200"], ["c-24394200"]]);
    assertEquals([harness.status.lastScheduleTime, harness.delays()], [TEN, UNTIL_ELEVEN]);
    assertEquals(harness.recorder.lines, ["Normal SuccessfulCreate a/c Created job c-24394200"]);
    assertEquals(harness.context.skew.totals(), { count: 1, sum: 60 });
  }
});

Deno.test("syncCronJob() makes the Job from the template, and names the time and the CronJob in it", async () => {
  const harness = new CronJobHarness(at("10:01:00"), cronJob({}, created));
  await harness.sync();
  const [{ metadata, spec }] = harness.client.bodies<Job>("create jobs");
  assertEquals(metadata, {
    namespace: "a",
    name: "c-24394200",
    labels: { app: "x" },
    annotations: { team: "blue", "batch.kubernetes.io/cronjob-scheduled-timestamp": "2016-05-19T10:00:00Z" },
    ownerReferences: [{
      apiVersion: "batch/v1",
      kind: "CronJob",
      name: "c",
      uid: "uid-c",
      controller: true,
      blockOwnerDeletion: true,
    }],
  });
  assertEquals(spec, cronJob().spec.jobTemplate.spec);
  const [reference] = harness.status.active!;
  assertEquals(Object.keys(reference).sort(), ["apiVersion", "kind", "name", "namespace", "resourceVersion", "uid"]);
});

Deno.test("syncCronJob() names the time in the CronJob's zone", async () => {
  const harness = new CronJobHarness(at("10:01:00"), cronJob({ timeZone: "Europe/Rome" }, created));
  await harness.sync();
  const [{ metadata }] = harness.client.bodies<Job>("create jobs");
  assertEquals(
    metadata?.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"],
    "2016-05-19T12:00:00+02:00",
  );
});

Deno.test("syncCronJob() reports what it cannot read, and waits for a change", async () => {
  const rows: [spec: Partial<CronJob["spec"]>, line: string][] = [
    [
      { schedule: "obvious error schedule" },
      'UnparseableSchedule a/c unparseable schedule: "obvious error schedule" : ' +
      "expected exactly 5 fields, found 3: [obvious error schedule]",
    ],
    [
      { timeZone: "bad timezone" },
      'UnknownTimeZone a/c invalid timeZone: "bad timezone": unknown time zone bad timezone',
    ],
    [
      { schedule: "59 23 31 2 *" },
      "InvalidSchedule a/c invalid schedule: 59 23 31 2 * : time difference between two schedules is less than 1 second",
    ],
  ];
  for (const [spec, line] of rows) {
    const harness = new CronJobHarness(at("10:01:00"), cronJob(spec, created));
    await harness.sync();
    assertEquals([harness.recorder.lines, harness.delays(), harness.created], [[`Warning ${line}`], [], []]);
  }
});

Deno.test("syncCronJob() warns of a zone in the schedule, and goes by it", async () => {
  const spec = { schedule: "TZ=UTC 0 * * * *", timeZone: "America/St_Johns" };
  const harness = new CronJobHarness(at("10:01:00"), cronJob(spec, created));
  await harness.sync();
  assertEquals(harness.created, ["c-24394200"]);
  assertEquals(
    harness.recorder.lines[0],
    'Warning UnsupportedSchedule a/c CRON_TZ or TZ used in schedule "TZ=UTC 0 * * * *" is not officially supported, ' +
      "see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
  );
});

Deno.test("syncCronJob() starts nothing while suspended or deleted, and plans nothing", async () => {
  const suspended = new CronJobHarness(at("10:01:00"), cronJob({ suspend: true }, created));
  const deleted = new CronJobHarness(at("10:01:00"), cronJob({}, { ...created, deletionTimestamp: TEN }));
  for (const harness of [suspended, deleted]) {
    await harness.sync();
    assertEquals([harness.client.writes, harness.delays(), harness.reasons], [[], [], []]);
  }
  await suspended.sync("a/gone");
});

Deno.test("syncCronJob() does not start a Job later than its deadline allows", async () => {
  const harness = new CronJobHarness(at("10:01:00"), cronJob({ startingDeadlineSeconds: 10 }, created));
  await harness.sync();
  assertEquals([harness.created, harness.delays()], [[], UNTIL_ELEVEN]);
});

Deno.test("syncCronJob() takes a Job that has ended off the list, and remembers the latest success", async () => {
  const status = { active: active("old", "older", "bad"), lastScheduleTime: TEN };
  const harness = new CronJobHarness(
    at("10:30:00"),
    cronJob({}, { status }),
    jobOf("old", { ended: "Complete", completionTime: formatTime(at("10:20:00")) }),
    jobOf("older", { ended: "Complete", completionTime: formatTime(at("10:10:00")) }),
    jobOf("bad", { ended: "Failed", completionTime: formatTime(at("10:25:00")) }),
    jobOf("unlisted", { ended: "Complete", completionTime: formatTime(at("10:15:00")) }),
  );
  await harness.sync();
  assertEquals([harness.activeNames, harness.status.lastSuccessfulTime], [[], formatTime(at("10:20:00"))]);
  assertEquals(harness.recorder.lines, [
    "Normal SawCompletedJob a/c Saw completed job: old, condition: Complete",
    "Normal SawCompletedJob a/c Saw completed job: older, condition: Complete",
    "Normal SawCompletedJob a/c Saw completed job: bad, condition: Failed",
  ]);
});

Deno.test("syncCronJob() writes nothing about a success that it has noted before", async () => {
  const lastSuccessfulTime = formatTime(at("10:20:00"));
  const done = jobOf("done", { ended: "Complete", completionTime: lastSuccessfulTime });
  const owner = cronJob({}, { status: { lastScheduleTime: TEN, lastSuccessfulTime } });
  const harness = new CronJobHarness(at("10:30:00"), owner, done);
  await harness.sync();
  assertEquals(harness.client.calls, []);
});

Deno.test("syncCronJob() measures how late a Job was by when the API server created it", async () => {
  const harness = new CronJobHarness(at("10:01:00"), cronJob({}, created));
  harness.client.onCall = () => harness.world.clock.jumpWall(at("10:00:20") - harness.world.clock.wallMs());
  await harness.sync();
  assertEquals(harness.context.skew.totals(), { count: 1, sum: 20 });
});

Deno.test("syncCronJob() follows the policy for Jobs that still run when the next is due", async () => {
  const run = async (concurrencyPolicy: string) => {
    const owner = cronJob({ concurrencyPolicy }, { ...created, status: { active: active("old") } });
    const harness = new CronJobHarness(at("10:01:00"), owner, jobOf("old"));
    await harness.sync();
    return harness;
  };
  const allow = await run("Allow");
  assertEquals([allow.activeNames, allow.deleted], [["old", "c-24394200"], []]);
  const forbid = await run("Forbid");
  assertEquals([forbid.created, forbid.status.lastScheduleTime, forbid.delays()], [[], undefined, UNTIL_ELEVEN]);
  assertEquals(forbid.recorder.lines, [
    "Normal JobAlreadyActive a/c Not starting job because prior execution is running and concurrency policy is Forbid",
  ]);
  const replace = await run("Replace");
  assertEquals([replace.activeNames, replace.deleted], [["c-24394200"], ["old"]]);
  assertEquals(replace.reasons, ["Normal SuccessfulDelete", "Normal SuccessfulCreate"]);
});

Deno.test("syncCronJob() starts nothing when the Job to be replaced cannot be read or deleted", async () => {
  const rows = [["get jobs", "Warning FailedGet", "broken"], [
    "delete jobs",
    "Warning FailedDelete",
    "could not replace job a/old",
  ]];
  for (const [call, reason, message] of rows) {
    const owner = cronJob({ concurrencyPolicy: "Replace" }, { ...created, status: { active: active("old") } });
    const harness = new CronJobHarness(at("10:01:00"), owner, jobOf("old"));
    harness.client.fail(call, statusError(500, "InternalError", "broken"));
    await assertRejects(() => harness.sync(), Error, message);
    assertEquals([harness.created, harness.reasons], [[], [reason]]);
  }
});

Deno.test("syncCronJob() starts one Job after many missed times, and warns", async () => {
  const weekLater = at("10:00:00", "2016-05-26");
  const rows: [startingDeadlineSeconds: number | undefined, reasons: string[]][] = [
    [undefined, ["Warning TooManyMissedTimes", "Normal SuccessfulCreate"]],
    [30 * 86_400, ["Warning TooManyMissedTimes", "Normal SuccessfulCreate"]],
    [2 * 3600, ["Normal SuccessfulCreate"]],
  ];
  for (const [startingDeadlineSeconds, reasons] of rows) {
    const owner = cronJob({ startingDeadlineSeconds }, { status: { lastScheduleTime: TEN } });
    const harness = new CronJobHarness(weekLater, owner);
    await harness.sync();
    assertEquals([harness.created, harness.reasons], [["c-24404280"], reasons]);
  }
});

Deno.test("syncCronJob() starts no Job twice for a time", async () => {
  for (const status of [{ lastScheduleTime: TEN }, { active: active("c-24394200") }]) {
    const harness = new CronJobHarness(at("10:01:00"), cronJob({}, { ...created, status }), jobOf("c-24394200"));
    await harness.sync();
    assertEquals([harness.created, harness.delays().length], [[], 1]);
  }
});

Deno.test("syncCronJob() takes up its own Job whose start it did not come to note", async () => {
  const harness = new CronJobHarness(at("10:01:00"), cronJob({}, created));
  const held = jobOf("c-24394200");
  harness.client.store(JOBS, held); // the cache does not show it yet
  await harness.sync();
  assertEquals([harness.activeNames, harness.status.lastScheduleTime], [["c-24394200"], TEN]);
  assertEquals([harness.reasons, harness.context.skew.totals().count], [[], 0]);
});

Deno.test("syncCronJob() leaves a time alone for which somebody else has a Job", async () => {
  const owner = cronJob({}, { uid: "another" });
  const harness = new CronJobHarness(at("10:01:00"), cronJob({}, created));
  harness.client.store(JOBS, jobOf("c-24394200", { owner }));
  await harness.sync();
  assertEquals([harness.client.writes, harness.delays(), harness.reasons], [["create jobs a/c-24394200"], [], []]);
});

Deno.test("syncCronJob() reports a Job that cannot be created, but not in a namespace that is being deleted", async () => {
  const quota = new CronJobHarness(at("10:01:00"), cronJob({}, created));
  quota.client.fail("create", statusError(403, "Forbidden", "exceeded quota"));
  await assertRejects(() => quota.sync(), Error, "exceeded quota");
  assertEquals(quota.recorder.lines, ["Warning FailedCreate a/c Error creating job: exceeded quota"]);
  const ending = new CronJobHarness(at("10:01:00"), cronJob({}, created));
  ending.client.fail("create", namespaceTerminating());
  await assertRejects(() => ending.sync());
  assertEquals(ending.reasons, []);
});

Deno.test("syncCronJob() asks the API server about a listed Job that its cache does not show", async () => {
  const status = { active: active("slow", "gone"), lastScheduleTime: TEN };
  const harness = new CronJobHarness(at("10:30:00"), cronJob({}, { status }));
  harness.client.store(JOBS, jobOf("slow"));
  await harness.sync();
  assertEquals(harness.activeNames, ["slow"]);
  assertEquals(harness.recorder.lines, ["Normal MissingJob a/c Active job went missing: gone"]);
  const broken = new CronJobHarness(at("10:30:00"), cronJob({}, { status }));
  broken.client.fail("get jobs", statusError(500, "InternalError", "broken"));
  await assertRejects(() => broken.sync(), Error, "broken");
});

Deno.test("syncCronJob() reports a running Job of its name that it did not start, and does not adopt it", async () => {
  const harness = new CronJobHarness(at("10:30:00"), cronJob({}, { status: { lastScheduleTime: TEN } }), jobOf("odd"));
  await harness.sync();
  assertEquals(harness.recorder.lines, [
    "Warning UnexpectedJob a/c Saw a job that the controller did not create or forgot: odd",
  ]);
  assertEquals(harness.client.writes, []);
});

Deno.test("syncCronJob() believes the API server when its cached CronJob is old, and tries again", async () => {
  const harness = new CronJobHarness(at("10:01:00"), cronJob({}, created), jobOf("c-24394200"));
  harness.client.store(
    CRONJOBS,
    cronJob({}, { ...created, status: { active: active("c-24394200"), lastScheduleTime: TEN } }),
  );
  await harness.sync();
  assertEquals([harness.client.writes, harness.reasons, harness.delays()], [[], [], UNTIL_ELEVEN]);
});

Deno.test("syncCronJob() writes what its cached CronJob gives although that turned out to be old, and is refused", async () => {
  const ended = jobOf("ended", { ended: "Failed" });
  for (const jobs of [[ended, jobOf("c-24394200")], [jobOf("c-24394200"), ended]]) {
    const cached = cronJob({}, { ...created, status: { active: active("ended") } });
    const harness = new CronJobHarness(at("10:01:00"), cached, ...jobs);
    const status = { active: active("ended", "c-24394200"), lastScheduleTime: TEN };
    harness.client.store(CRONJOBS, cronJob({}, { ...created, status }));
    await assertRejects(() => harness.sync(), Error, "the object has been modified");
    assertEquals([harness.client.writes, harness.reasons], [["put cronjobs/status a/c"], ["Normal SawCompletedJob"]]);
  }
});

Deno.test("syncCronJob() keeps as many ended Jobs as it is told, the latest ones", async () => {
  const ended = (name: string, type: "Complete" | "Failed", clock?: string) =>
    jobOf(name, { ended: type, startTime: clock && formatTime(at(clock)) });
  const jobs = [
    ended("b", "Complete", "08:00:00"),
    ended("a", "Complete", "08:00:00"),
    ended("c", "Complete", "09:00:00"),
    ended("d", "Complete"),
    ended("e", "Failed", "07:00:00"),
    jobOf("running"),
  ];
  const limits = { successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 0, suspend: true };
  const status = { active: active("running", "a") };
  const harness = new CronJobHarness(at("10:30:00"), cronJob(limits, { status }), ...jobs);
  await harness.sync();
  assertEquals([harness.deleted, harness.activeNames], [["a", "b", "e"], ["running"]]);
  const unlimited = new CronJobHarness(
    at("10:30:00"),
    cronJob({ suspend: true }, { status: { active: active("running") } }),
    ...jobs,
  );
  await unlimited.sync();
  assertEquals(unlimited.deleted, []);
});

Deno.test("syncCronJob() goes on when an old Job cannot be deleted", async () => {
  const jobs = ["a", "b"].map((name) => jobOf(name, { ended: "Complete" }));
  const harness = new CronJobHarness(
    at("10:30:00"),
    cronJob({ suspend: true, successfulJobsHistoryLimit: 0 }),
    ...jobs,
  );
  harness.client.fail("delete jobs a/a", statusError(500, "InternalError", "broken"));
  await harness.sync();
  assertEquals([harness.deleted, harness.recorder.lines], [["a", "b"], [
    "Warning FailedDelete a/c Deleted job: broken",
    "Normal SuccessfulDelete a/c Deleted job b",
  ]]);
});

Deno.test("syncCronJob() tries again when the status cannot be written", async () => {
  const harness = new CronJobHarness(at("10:01:00"), cronJob({}, created));
  harness.client.fail("put", statusError(409, "Conflict"));
  await assertRejects(() => harness.sync(), Error, "Conflict");
  assertEquals(harness.delays(), []);
});
