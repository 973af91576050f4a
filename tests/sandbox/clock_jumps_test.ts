/**
 * What becomes of CronJobs and Jobs when the wall clock of the whole cluster is set forward or back, on the embedded API
 * server. As in upstream, what objects say is compared by the wall clock; what a controller waits for goes by the monotonic one.
 */
import { assertEquals } from "@std/assert";
import { CRONJOBS, type CronJobSpec, findCondition, type Job, JOBS } from "../../src/api/mod.ts";
import { FOREVER, isTrue, job, running } from "../scenarios/job_kit.ts";
import type { Kit } from "../scenarios/kit.ts";
import { clockTest, DAY_MS, eventsOf, HOUR_MS, MINUTE_MS } from "./clock_stage.ts";

const CRON = { controllers: "cronjob-controller", nodes: 0 };

async function createCronJob(kit: Kit, spec: Partial<CronJobSpec> & { schedule: string }): Promise<void> {
  await kit.create(CRONJOBS, {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "a" },
    spec: { successfulJobsHistoryLimit: 100, jobTemplate: { spec: job("a").spec }, ...spec },
  });
}

/** For which times Jobs were started, as they say, in order. */
async function startedFor(kit: Kit): Promise<string[]> {
  const at = ({ metadata }: Job) => metadata?.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"] ?? "";
  return (await kit.list(JOBS)).map(at).sort();
}

clockTest("A clock set back runs no schedule a second time, and the next one in its time", CRON, async (stage) => {
  const { cluster, kit, jump } = stage;
  await createCronJob(kit, { schedule: "0 * * * *" });
  await cluster.advance(2 * HOUR_MS);
  const first = ["2026-01-01T01:00:00Z", "2026-01-01T02:00:00Z"];
  assertEquals(await startedFor(kit), first);
  jump(-100 * MINUTE_MS);
  await cluster.advance(2 * HOUR_MS);
  assertEquals(await startedFor(kit), first);
  await cluster.advance(HOUR_MS);
  assertEquals(await startedFor(kit), [...first, "2026-01-01T03:00:00Z"]);
});

clockTest("A clock set back by days runs no schedule twice either, until it is where it was", CRON, async (stage) => {
  const { cluster, kit, jump } = stage;
  await createCronJob(kit, { schedule: "0 */6 * * *" });
  await cluster.advance(6 * HOUR_MS);
  jump(-3 * DAY_MS);
  await cluster.advance(7 * HOUR_MS);
  assertEquals(await startedFor(kit), ["2026-01-01T06:00:00Z"]);
  jump(3 * DAY_MS - HOUR_MS - 2 * MINUTE_MS);
  await kit.merge(CRONJOBS, "a", { metadata: { labels: { seen: "yes" } } });
  await cluster.advance(MINUTE_MS);
  assertEquals(await startedFor(kit), ["2026-01-01T06:00:00Z"], "two minutes to noon");
  await cluster.advance(3 * MINUTE_MS);
  assertEquals(await startedFor(kit), ["2026-01-01T06:00:00Z", "2026-01-01T12:00:00Z"]);
});

clockTest("A clock set forward runs a schedule once for all the times that it missed", CRON, async (stage) => {
  const { cluster, kit, jump } = stage;
  await createCronJob(kit, { schedule: "0 * * * *" });
  await cluster.advance(HOUR_MS);
  jump(5 * HOUR_MS);
  await cluster.advance(10 * MINUTE_MS);
  assertEquals(await startedFor(kit), ["2026-01-01T01:00:00Z"], "nothing wakes the controller before its time");
  await cluster.advance(HOUR_MS);
  assertEquals(await startedFor(kit), ["2026-01-01T01:00:00Z", "2026-01-01T07:00:00Z"]);
  await cluster.advance(HOUR_MS);
  assertEquals((await startedFor(kit)).at(-1), "2026-01-01T08:00:00Z");
  assertEquals(await eventsOf(kit, "TooManyMissedTimes"), []);
});

clockTest("A change of a CronJob makes it see at once that the clock was set forward", CRON, async (stage) => {
  const { cluster, kit, jump } = stage;
  await createCronJob(kit, { schedule: "0 12 * * *" });
  await cluster.advance(MINUTE_MS);
  jump(3 * DAY_MS);
  await kit.merge(CRONJOBS, "a", { metadata: { labels: { seen: "yes" } } });
  await cluster.advance(MINUTE_MS);
  assertEquals(await startedFor(kit), ["2026-01-03T12:00:00Z"]);
});

clockTest(
  "A clock set forward over more than a hundred times of a schedule is told, and runs it once",
  CRON,
  async (stage) => {
    const { cluster, kit, jump } = stage;
    await createCronJob(kit, { schedule: "*/5 * * * *" });
    await cluster.advance(5 * MINUTE_MS);
    jump(DAY_MS);
    await cluster.advance(5 * MINUTE_MS);
    assertEquals(await startedFor(kit), ["2026-01-01T00:05:00Z", "2026-01-02T00:10:00Z"]);
    assertEquals(await eventsOf(kit, "TooManyMissedTimes"), [
      "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
    ]);
  },
);

clockTest("What a clock set forward has left out of a CronJob's deadline is not run at all", CRON, async (stage) => {
  const { cluster, kit, jump } = stage;
  await createCronJob(kit, { schedule: "*/10 * * * *", startingDeadlineSeconds: 60 });
  jump(15 * MINUTE_MS);
  await cluster.advance(12 * MINUTE_MS);
  assertEquals(await startedFor(kit), []);
  await cluster.advance(3 * MINUTE_MS);
  assertEquals(await startedFor(kit), ["2026-01-01T00:30:00Z"]);
});

clockTest("A clock set over the change to summer time runs a schedule in the zone's own hours", CRON, async (stage) => {
  const { cluster, kit, jump } = stage;
  await createCronJob(kit, { schedule: "30 2 * * *", timeZone: "America/New_York" });
  jump(Date.parse("2026-03-08T06:00:00Z") - cluster.world.clock.wallMs());
  await kit.merge(CRONJOBS, "a", { metadata: { labels: { seen: "yes" } } });
  await cluster.advance(DAY_MS);
  jump(Date.parse("2026-03-09T06:00:00Z") - cluster.world.clock.wallMs());
  await cluster.advance(DAY_MS);
  assertEquals(await startedFor(kit), ["2026-03-07T02:30:00-05:00", "2026-03-09T02:30:00-04:00"]);
});

const JOB = { controllers: "job-controller,ttl-after-finished-controller,garbage-collector-controller" };

clockTest("A Job's deadline counts by the wall clock, and is looked at when it was planned", JOB, async (stage) => {
  const { cluster, kit, jump } = stage;
  await kit.create(JOBS, job("a", { activeDeadlineSeconds: 600 }, FOREVER));
  await running(kit, 1);
  jump(-5 * MINUTE_MS);
  await cluster.advance(14 * MINUTE_MS);
  assertEquals(isTrue("Failed")(await kit.get(JOBS, "a")), false, "by the wall clock it has run for nine minutes");
  await cluster.advance(2 * MINUTE_MS);
  assertEquals(findCondition((await kit.get(JOBS, "a")).status?.conditions, "Failed")?.reason, "DeadlineExceeded");
});

clockTest("A clock set forward over a Job's deadline ends it when next it is looked at", JOB, async (stage) => {
  const { kit, jump } = stage;
  await kit.create(JOBS, job("a", { activeDeadlineSeconds: 3600 }, FOREVER));
  await kit.create(JOBS, job("b", { activeDeadlineSeconds: 100_000 }, FOREVER));
  await kit.until(JOBS, "b", "runs", ({ status }) => status?.ready === 1);
  jump(DAY_MS);
  for (const name of ["a", "b"]) await kit.merge(JOBS, name, { metadata: { labels: { seen: "yes" } } });
  await kit.until(JOBS, "a", "has failed", isTrue("Failed"));
  assertEquals(isTrue("Failed")(await kit.get(JOBS, "b")), false);
});

clockTest(
  "A Job waits longer after a failure when the clock is set back, and no more when forward",
  JOB,
  async (stage) => {
    const { cluster, kit, jump } = stage;
    const failed = (count: number) =>
      kit.until(JOBS, "a", `has failed ${count} times`, ({ status }) => status?.failed === count);
    await kit.create(JOBS, job("a", { backoffLimit: 9 }, { "exit-code": "1" }));
    await failed(3);
    jump(-10 * MINUTE_MS);
    await cluster.advance(10 * MINUTE_MS);
    assertEquals((await kit.get(JOBS, "a")).status?.failed, 3, "its backoff begins in ten minutes");
    await failed(4);
    await cluster.advance(5_000);
    jump(HOUR_MS);
    await kit.merge(JOBS, "a", { metadata: { labels: { seen: "yes" } } });
    await cluster.advance(10_000);
    assertEquals((await kit.get(JOBS, "a")).status?.failed, 5, "its backoff of 80 s is over");
  },
);

clockTest("A finished Job stays longer when the clock is set back, and goes in the end", JOB, async (stage) => {
  const { cluster, kit, jump } = stage;
  for (const name of ["a", "b"]) await kit.create(JOBS, job(name, { ttlSecondsAfterFinished: 600 }));
  for (const name of ["a", "b"]) await kit.until(JOBS, name, "is complete", isTrue("Complete"));
  jump(-20 * MINUTE_MS);
  await cluster.advance(29 * MINUTE_MS);
  assertEquals((await kit.list(JOBS)).length, 2, "they have ended nine minutes ago");
  await cluster.advance(2 * MINUTE_MS);
  assertEquals((await kit.list(JOBS)).length, 0);
});

clockTest(
  "A finished Job whose time a clock set forward has left behind goes when next it is looked at",
  JOB,
  async (stage) => {
    const { cluster, kit, jump } = stage;
    for (const name of ["a", "b"]) await kit.create(JOBS, job(name, { ttlSecondsAfterFinished: 600 }));
    for (const name of ["a", "b"]) await kit.until(JOBS, name, "is complete", isTrue("Complete"));
    jump(DAY_MS);
    await kit.merge(JOBS, "a", { metadata: { labels: { seen: "yes" } } });
    await kit.untilGone(JOBS, "a");
    assertEquals((await kit.list(JOBS)).length, 1, "b waits for its timer");
    await cluster.advance(11 * MINUTE_MS);
    assertEquals((await kit.list(JOBS)).length, 0);
  },
);
