/** Which time of a schedule is due, and when the next one is. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { type CronJobSpec, formatTime } from "../../../../src/api/mod.ts";
import { TimeZone } from "../../../../src/rules/mod.ts";
import { requeueAfterMs, scheduleOf, whatIsDue } from "../../../../src/controllers/cronjob/schedule.ts";
import { cronJobHandler, jobHandler } from "../../../../src/controllers/cronjob/handlers.ts";
import { compareByStart } from "../../../../src/controllers/cronjob/history.ts";
import { jobName } from "../../../../src/controllers/cronjob/new_job.ts";
import { at, cronJob, CronJobHarness, jobOf } from "./fixtures.ts";

interface Row {
  readonly spec?: Partial<CronJobSpec>;
  readonly last?: number;
  readonly nowMs: number;
  /** The time that is due, and how many were missed. */
  readonly due: readonly [string | undefined, "none" | "few" | "many"];
  readonly requeueSeconds: number;
}

const HOUR = 3600;
const THURSDAY = at("10:30:00");

const ROWS: readonly Row[] = [
  { nowMs: at("09:59:00"), due: [undefined, "none"], requeueSeconds: 60 },
  { nowMs: at("10:01:00"), due: ["10:00", "none"], requeueSeconds: 59 * 60 },
  { nowMs: at("10:00:00"), due: ["10:00", "none"], requeueSeconds: HOUR },
  { nowMs: at("11:00:00"), due: ["11:00", "few"], requeueSeconds: HOUR },
  { nowMs: at("12:30:00"), due: ["12:00", "few"], requeueSeconds: 30 * 60 },
  { nowMs: at("10:00:00", "2016-05-26"), last: at("10:00:00"), due: ["10:00", "many"], requeueSeconds: HOUR },
  // 100 missed times, half a second before there are 101, and then.
  {
    last: at("10:00:00"),
    nowMs: at("14:59:59.500", "2016-05-23"),
    due: ["14:00", "few"],
    requeueSeconds: 0.5,
  },
  { last: at("10:00:00"), nowMs: at("15:00:00", "2016-05-23"), due: ["15:00", "many"], requeueSeconds: HOUR },
  {
    spec: { schedule: "@every 1s" },
    last: at("10:00:00"),
    nowMs: at("10:00:03"),
    due: ["10:00", "few"],
    requeueSeconds: 1,
  },
  { spec: { startingDeadlineSeconds: 10 }, nowMs: at("10:01:00"), due: [undefined, "none"], requeueSeconds: 59 * 60 },
  { spec: { schedule: "@every 1h" }, nowMs: at("10:00:00"), due: [undefined, "none"], requeueSeconds: 59 * 60 },
  {
    spec: { schedule: "@every 1h", startingDeadlineSeconds: 10 },
    last: at("10:01:00"),
    nowMs: at("10:00:00", "2016-05-26"),
    due: [undefined, "none"],
    requeueSeconds: 60,
  },
  {
    spec: { schedule: "30 6-16/4 * * 1-5" },
    last: THURSDAY,
    nowMs: at("10:31:00", "2016-05-20"),
    due: ["10:30", "few"],
    requeueSeconds: 4 * HOUR - 60,
  },
  {
    spec: { schedule: "30 10,11,12 * * 1-5" },
    last: THURSDAY,
    nowMs: at("16:30:00", "2016-05-20"),
    due: [undefined, "few"],
    requeueSeconds: 66 * HOUR,
  },
  {
    spec: { schedule: "30 10,11,12 * * 1-5" },
    last: THURSDAY,
    nowMs: at("13:45:00", "2016-05-20"),
    due: [undefined, "few"],
    requeueSeconds: 68.75 * HOUR,
  },
];

Deno.test("whatIsDue() finds the latest time, counts the missed ones, and requeueAfterMs() the next", () => {
  for (const { spec, last, nowMs, due, requeueSeconds } of ROWS) {
    const owner = cronJob(spec, { status: { lastScheduleTime: last === undefined ? undefined : formatTime(last) } });
    const schedule = scheduleOf(owner, TimeZone.UTC);
    const { latestMs, missed } = whatIsDue(owner, schedule, { nowMs, withDeadline: true });
    const clock = latestMs === undefined ? undefined : formatTime(latestMs).slice(11, 16);
    assertEquals([clock, missed], due, JSON.stringify(spec));
    assertEquals(requeueAfterMs(owner, schedule, nowMs), requeueSeconds * 1000 + 100, JSON.stringify(spec));
  }
});

Deno.test("requeueAfterMs() has no answer where the next time is more than five years away", () => {
  const owner = cronJob({ schedule: "0 0 29 2 *" }, { status: { lastScheduleTime: "2096-02-29T00:00:00Z" } });
  const schedule = scheduleOf(owner, TimeZone.UTC);
  const nowMs = at("10:00:00", "2097-05-19");
  assertEquals(requeueAfterMs(owner, schedule, nowMs), undefined);
  assertEquals(whatIsDue(owner, schedule, { nowMs, withDeadline: true }).missed, "none");
});

Deno.test("whatIsDue() finds the latest time of @every without its deadline", () => {
  const owner = cronJob({ schedule: "@every 1h" }, { status: { lastScheduleTime: formatTime(at("10:01:00")) } });
  const nowMs = at("10:00:00", "2016-05-26");
  const due = whatIsDue(owner, scheduleOf(owner, TimeZone.UTC), { nowMs, withDeadline: false });
  assertEquals([formatTime(due.latestMs!), due.missed], ["2016-05-26T09:01:00Z", "many"]);
});

Deno.test("whatIsDue() refuses a schedule of a day that never is", () => {
  const owner = cronJob({ schedule: "59 23 31 2 *" });
  const schedule = scheduleOf(owner, TimeZone.UTC);
  const message = "time difference between two schedules is less than 1 second";
  assertThrows(() => whatIsDue(owner, schedule, { nowMs: at("10:00:00"), withDeadline: true }), Error, message);
});

Deno.test("whatIsDue() takes a deadline that overflows Go's durations as upstream does", () => {
  const owner = cronJob({ startingDeadlineSeconds: 9_223_372_037 });
  const due = whatIsDue(owner, scheduleOf(owner, TimeZone.UTC), { nowMs: at("12:30:00"), withDeadline: true });
  assertEquals(due.latestMs, undefined);
});

Deno.test("scheduleOf() reads a schedule in the CronJob's zone, else where the process runs", () => {
  const next = (spec: Partial<CronJobSpec>, zone = TimeZone.UTC) =>
    formatTime(scheduleOf(cronJob({ schedule: "0 12 * * *", ...spec }), zone).next(at("00:00:00"))).slice(11, 16);
  assertEquals(next({}), "12:00");
  assertEquals(next({}, TimeZone.load("Asia/Tokyo")), "03:00");
  assertEquals(next({ timeZone: "Europe/Rome" }, TimeZone.load("Asia/Tokyo")), "10:00");
  assertEquals(next({ schedule: "CRON_TZ=Asia/Tokyo 0 12 * * *", timeZone: "Europe/Rome" }), "03:00");
});

Deno.test("jobName() names a Job after the minute that its time is in", () => {
  const names = ["10:00:00", "10:00:30", "10:00:59"].map((clock) => jobName(cronJob(), at(clock)));
  assertEquals(names, ["c-24394200", "c-24394200", "c-24394200"]);
});

Deno.test("compareByStart() puts those that started first in front, and those that never did at the end", () => {
  const started = (name: string, clock?: string) => jobOf(name, { startTime: clock && formatTime(at(clock)) });
  const order = [
    started("z", "08:00:00"),
    started("a", "09:00:00"),
    started("b", "09:00:00"),
    started("a"),
    started("b"),
  ];
  for (const [i, job] of order.entries()) {
    const signs = order.map((other) => Math.sign(compareByStart(job, other)));
    assertEquals(signs, order.map((_, j) => Math.sign(i - j)));
  }
});

Deno.test("cronJobHandler() comes back at the first of new times, at once after any other change", () => {
  const harness = new CronJobHarness(at("10:01:00"), cronJob());
  const handler = cronJobHandler(harness.context);
  handler.onAdd?.(cronJob(), true);
  handler.onUpdate?.(cronJob(), cronJob({ suspend: true }));
  handler.onUpdate?.(cronJob(), cronJob({ schedule: "0 12 * * *" }));
  handler.onUpdate?.(cronJob({ schedule: "0 12 * * *" }), cronJob({ schedule: "0 12 * * *", timeZone: "Asia/Tokyo" }));
  handler.onDelete?.(cronJob());
  assertEquals(harness.delays(), ["a/c now", "a/c now", "a/c 7140.1 s", "a/c 61140.1 s", "a/c now"]);
  handler.onUpdate?.(cronJob(), cronJob({ schedule: "nonsense" }));
  assertEquals(harness.delays(), []);
  assertEquals(harness.recorder.lines, [
    "Warning UnParseableCronJobSchedule a/c unparseable schedule for cronjob: nonsense",
  ]);
});

Deno.test("jobHandler() queues the CronJob that controls a Job, by its uid", () => {
  const harness = new CronJobHarness(at("10:01:00"), cronJob());
  const handler = jobHandler(harness.context);
  const changed = { ...jobOf("j"), metadata: { ...jobOf("j").metadata, resourceVersion: "2", ownerReferences: [] } };
  handler.onAdd?.(jobOf("j"), true);
  handler.onAdd?.(jobOf("j", { owner: cronJob({}, { uid: "another" }) }), true);
  handler.onUpdate?.(jobOf("j"), jobOf("j"));
  handler.onUpdate?.(jobOf("j"), changed);
  handler.onDelete?.(jobOf("j"));
  assertEquals(harness.delays(), ["a/c now", "a/c now", "a/c now"]);
});

Deno.test("whatIsDue() takes few steps, whatever year the status says it was", () => {
  const nowMs = at("10:00:30");
  const rows: [schedule: string, last: string, latest: string][] = [
    ["* * * * *", "0001-01-01T00:00:00Z", "2016-05-19T10:00:00Z"],
    ["0 0 * * *", "1600-01-01T00:00:00Z", "2016-05-19T00:00:00Z"],
    ["* 9-17 * * 1-5", "0001-01-01T00:00:00Z", "2016-05-19T10:00:00Z"],
    // For eight years there is none after 1896, which upstream takes for the beginning of time, and goes on from there.
    ["0 0 29 2 *", "1600-01-01T00:00:00Z", "1896-02-29T00:00:00Z"],
  ];
  for (const [schedule, last, latest] of rows) {
    const owner = cronJob({ schedule }, { status: { lastScheduleTime: last } });
    const real = scheduleOf(owner, TimeZone.UTC);
    let steps = 0;
    const counted = {
      next(afterMs: number): number {
        assert(++steps < 200, `${schedule} since ${last}`);
        return real.next(afterMs);
      },
    };
    const { latestMs } = whatIsDue(owner, counted, { nowMs, withDeadline: false });
    assertEquals(formatTime(latestMs!), latest, schedule);
  }
});
