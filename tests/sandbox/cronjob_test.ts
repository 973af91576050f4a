/** CronJobs on the embedded API server over days of virtual time. */
import { assertEquals } from "@std/assert";
import { type TestCluster, type TestClusterOptions, withTestCluster } from "kubeloop/testing";
import { CRONJOBS, type CronJobSpec, type Job, JOBS } from "../../src/api/mod.ts";
import { CRONJOB_SCENARIOS } from "../scenarios/cronjob_scenarios.ts";
import { job } from "../scenarios/job_kit.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Nothing but CronJobs: a virtual day passes quickly where little else happens in it. */
const ALONE: TestClusterOptions = { nodes: 0, flags: ["--controllers=cronjob-controller", "--leader-elect=false"] };

for (const { name, run } of CRONJOB_SCENARIOS) {
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster({ startsAt: new Date("2026-11-20T12:00:10Z") }, async (cluster) => {
      const namespace = await cluster.namespace("scenario");
      await run(kitOf(cluster, namespace));
    }));
}

async function start(cluster: TestCluster, spec: Partial<CronJobSpec> & { schedule: string }): Promise<void> {
  await cluster.namespace("cron");
  await cluster.client.create(CRONJOBS, {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "a", namespace: "cron" },
    spec: { successfulJobsHistoryLimit: 100, jobTemplate: { spec: job("a").spec }, ...spec },
  });
}

/** For which times Jobs were started, as they say, in order. */
async function timesOf({ client }: TestCluster): Promise<string[]> {
  const { items } = await client.list(JOBS, { namespace: "cron" });
  const at = ({ metadata }: Job) => metadata?.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"] ?? "";
  return items.map(at).sort((a, b) => Date.parse(a) - Date.parse(b));
}

Deno.test("a CronJob runs once a day, not at all in an hour that is left out, and twice in one that comes twice", async () => {
  const rows: [timeZone: string, schedule: string, startsAt: string, times: string[]][] = [
    ["America/New_York", "30 2 * * *", "2026-03-08T06:00:00Z", ["2026-03-09T02:30:00-04:00"]],
    ["Europe/Rome", "30 2 * * *", "2026-10-24T12:00:00Z", ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"]],
    ["Australia/Lord_Howe", "45 1 * * *", "2026-04-04T12:00:00Z", [
      "2026-04-05T01:45:00+11:00",
      "2026-04-05T01:45:00+10:30",
    ]],
    ["Etc/UTC", "0 12 29 2 *", "2028-02-28T13:00:00Z", ["2028-02-29T12:00:00Z"]],
  ];
  for (const [timeZone, schedule, startsAt, times] of rows) {
    await withTestCluster({ ...ALONE, startsAt: new Date(startsAt) }, async (cluster) => {
      await start(cluster, { timeZone, schedule });
      await cluster.advance(DAY_MS + HOUR_MS);
      assertEquals(await timesOf(cluster), times, timeZone);
    });
  }
});

Deno.test("a CronJob keeps its latest Jobs", () =>
  withTestCluster({ nodes: 1, startsAt: new Date("2026-01-01T00:00:30Z") }, async (cluster) => {
    await start(cluster, { schedule: "*/10 * * * *", successfulJobsHistoryLimit: 2 });
    await cluster.advance(HOUR_MS);
    assertEquals(await timesOf(cluster), ["2026-01-01T00:50:00Z", "2026-01-01T01:00:00Z"]);
    const { status } = await cluster.client.get(CRONJOBS, { namespace: "cron", name: "a" });
    assertEquals([status?.lastScheduleTime, status?.active], ["2026-01-01T01:00:00Z", undefined]);
  }));

Deno.test("a CronJob whose Jobs were refused for hours starts one for all the times that it missed", () =>
  withTestCluster({ ...ALONE, startsAt: new Date("2026-01-01T00:00:30Z") }, async (cluster) => {
    await start(cluster, { schedule: "*/10 * * * *" });
    await cluster.advance(15 * 60_000);
    const refusal = cluster.fault({ resource: "jobs.batch", verb: "create", status: { code: 500 } });
    await cluster.advance(2 * HOUR_MS);
    refusal[Symbol.dispose]();
    await cluster.advance(20 * 60_000);
    const [first, second, ...more] = await timesOf(cluster);
    assertEquals([first, Date.parse(second) > Date.parse("2026-01-01T02:00:00Z")], ["2026-01-01T00:10:00Z", true]);
    assertEquals(new Set(more).size, more.length, "none twice");
    assertEquals(more.at(-1), "2026-01-01T02:30:00Z");
  }));
