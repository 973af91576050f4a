/** What a user does with CronJobs and what must come of it, on any server and under either manager. */
import {
  type CronJob,
  CRONJOBS,
  type CronJobSpec,
  type CronJobStatus,
  EVENTS,
  type Job,
  JOBS,
  newControllerRef,
  PODS,
} from "../../src/api/mod.ts";
import { FOREVER, isTrue, job, podsSettled, type Script } from "./job_kit.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";
import { told as toldOf } from "./senseless_kit.ts";

/** A schedule whose last time is long past and whose next one far away, so that all that happens is asked for. */
const YEARLY = "0 0 1 1 *";
export const LONG_AGO = "2024-06-01T00:00:00Z";

/** A CronJob `a` that is suspended. */
export function cronJob(spec: Partial<CronJobSpec>, script: Script): CronJob {
  const jobTemplate = { metadata: { labels: { team: "blue" } }, spec: job("a", {}, script).spec };
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "a" },
    spec: { schedule: YEARLY, suspend: true, jobTemplate, ...spec },
  };
}

export interface Situation {
  readonly spec?: Partial<CronJobSpec>;
  readonly status?: CronJobStatus;
  readonly script?: Script;
}

/** Makes a CronJob that thinks it ran long ago, and lets it go. */
export async function letGo(kit: Kit, { spec = {}, status = {}, script = {} }: Situation = {}): Promise<void> {
  await kit.create(CRONJOBS, cronJob(spec, script));
  await kit.merge(CRONJOBS, "a", { status: { lastScheduleTime: LONG_AGO, ...status } }, "status");
  await kit.merge(CRONJOBS, "a", { spec: { suspend: false } });
}

/** Waits until a Job that the CronJob has started has ended, and the CronJob knows. */
export async function ended(kit: Kit, type: "Complete" | "Failed"): Promise<void> {
  await kit.untilAll(JOBS, `one is ${type}`, (jobs) => jobs.some(isTrue(type)));
  await kit.until(CRONJOBS, "a", "has none active", ({ status }) => !status?.active?.length && isCurrent(status));
  await podsSettled(kit);
}

const isCurrent = (status: CronJobStatus | undefined) => status?.lastScheduleTime !== LONG_AGO;

/** Waits for an event with this reason, and this text in its message. */
export function told(kit: Kit, reason: string, text = ""): Promise<unknown> {
  return kit.untilAll(
    EVENTS,
    `one is ${reason}`,
    (events) => events.some((event) => event.reason === reason && event.message?.includes(text)),
  );
}

/** A CronJob whose times passed while it was suspended; the next one is an hour away. */
interface Overdue {
  readonly name: string;
  /** How many hours ago it last ran; in another year if absent. */
  readonly ranHoursAgo?: number;
  readonly deadlineSeconds?: number;
  /** The one hour of the day in which it is to run, as hours ago; every hour if absent. */
  readonly onlyHoursAgo?: number;
  /** The minutes, if not just the one that has passed. */
  readonly minutes?: string;
  readonly comesOfIt: "a late run" | "a late run, told of" | "nothing";
}

const OVERDUE: readonly Overdue[] = [
  { name: "few", ranHoursAgo: 5, comesOfIt: "a late run" },
  { name: "few-with-deadline", deadlineSeconds: 3 * 3600, comesOfIt: "a late run" },
  { name: "many", comesOfIt: "a late run, told of" },
  { name: "many-with-deadline", deadlineSeconds: 200 * 3600, comesOfIt: "a late run, told of" },
  { name: "too-late", onlyHoursAgo: 3, deadlineSeconds: 600, comesOfIt: "nothing" },
  // The most recent time is reckoned from the distance of the first two: a gap after them is not seen.
  { name: "gap", ranHoursAgo: 2, onlyHoursAgo: 1, minutes: "*", comesOfIt: "nothing" },
];

/** Makes a CronJob, has its times pass by the server's clock while it is suspended, and lets it go. */
async function letGoLate(kit: Kit, overdue: Overdue): Promise<void> {
  const { name, ranHoursAgo, deadlineSeconds, onlyHoursAgo, minutes } = overdue;
  const spec = { startingDeadlineSeconds: deadlineSeconds, timeZone: "Etc/UTC" };
  const { metadata } = await kit.create(CRONJOBS, { ...cronJob(spec, {}), metadata: { name } });
  const hoursAgo = (hours: number) => new Date(Date.parse(metadata!.creationTimestamp!) - hours * 3_600_000);
  const minute = (hoursAgo(0).getUTCMinutes() + 59) % 60;
  const hour = onlyHoursAgo === undefined ? "*" : hoursAgo(onlyHoursAgo).getUTCHours();
  const lastScheduleTime = ranHoursAgo === undefined ? LONG_AGO : hoursAgo(ranHoursAgo).toISOString();
  await kit.merge(CRONJOBS, name, { spec: { schedule: `${minutes ?? minute} ${hour} * * *` } });
  await kit.merge(CRONJOBS, name, { status: { lastScheduleTime } }, "status");
  await kit.merge(CRONJOBS, name, { spec: { suspend: false } });
}

/** A Job that the CronJob `a` owns and has not started, on the list of its active ones if that is asked for. */
async function runByHand(
  kit: Kit,
  name: string,
  { script = FOREVER, isListed = false }: { readonly script?: Script; readonly isListed?: boolean } = {},
): Promise<Job> {
  const owner = await kit.get(CRONJOBS, "a");
  const byHand = job(name, {}, script);
  const ownerReferences = [newControllerRef(owner, CRONJOBS)];
  const made = await kit.create(JOBS, { ...byHand, metadata: { ...byHand.metadata, ownerReferences } });
  await told(kit, "UnexpectedJob", name);
  const { namespace, uid } = made.metadata!;
  const active = [{ apiVersion: "batch/v1", kind: "Job", namespace, name, uid }];
  if (isListed) await kit.merge(CRONJOBS, "a", { status: { active, lastScheduleTime: LONG_AGO } }, "status");
  return made;
}

/** A CronJob with a Job that still runs, before its next time comes. */
async function busy(kit: Kit, concurrencyPolicy: string): Promise<void> {
  await kit.create(CRONJOBS, cronJob({ concurrencyPolicy }, FOREVER));
  await runByHand(kit, "old", { isListed: true });
  await kit.until(JOBS, "old", "runs", ({ status }) => status?.ready === 1);
  await kit.merge(CRONJOBS, "a", { spec: { suspend: false } });
}

export const CRONJOB_SCENARIOS: readonly Scenario[] = [
  {
    name: "cron",
    run: async (kit) => {
      await letGo(kit);
      await ended(kit, "Complete");
      await kit.until(CRONJOBS, "a", "remembers", ({ status }) => status?.lastSuccessfulTime);
    },
  },
  {
    name: "cron-time-zone",
    run: async (kit) => {
      await letGo(kit, { spec: { timeZone: "America/New_York", schedule: "30 12 1 11 *" } });
      await ended(kit, "Complete");
    },
  },
  {
    name: "cron-every-minute",
    run: async (kit) => {
      await kit.create(CRONJOBS, cronJob({ schedule: "* * * * *", suspend: false }, {}));
      await ended(kit, "Complete");
      await kit.merge(CRONJOBS, "a", { spec: { suspend: true } });
    },
  },
  {
    name: "cron-missed-many",
    run: async (kit) => {
      await letGo(kit, { spec: { schedule: "0 0 * * *" } });
      await ended(kit, "Complete");
    },
  },
  {
    name: "cron-let-go-late",
    run: async (kit) => {
      for (const overdue of OVERDUE) await letGoLate(kit, overdue);
      for (const { name, comesOfIt } of OVERDUE) {
        if (comesOfIt === "nothing") continue;
        await kit.until(
          CRONJOBS,
          name,
          "has run",
          ({ status }) => status?.lastSuccessfulTime && !status.active?.length,
        );
        if (comesOfIt === "a late run, told of") await toldOf(kit, name, "TooManyMissedTimes");
      }
      // The time of the day is not what is compared.
      for (const { name } of OVERDUE) await kit.merge(CRONJOBS, name, { spec: { suspend: true, schedule: YEARLY } });
      await podsSettled(kit);
    },
  },
  {
    name: "cron-too-late",
    run: async (kit) => {
      await letGo(kit, { spec: { startingDeadlineSeconds: 60, schedule: "30 12 1 11 *" } });
      await kit.create(CRONJOBS, { ...cronJob({}, {}), metadata: { name: "b" } });
      await kit.merge(CRONJOBS, "b", { status: { lastScheduleTime: LONG_AGO } }, "status");
      await kit.merge(CRONJOBS, "b", { spec: { suspend: false } });
      await kit.until(CRONJOBS, "b", "has run", ({ status }) => status?.lastSuccessfulTime && !status.active?.length);
      await podsSettled(kit);
    },
  },
  {
    name: "cron-of-no-day",
    run: async (kit) => {
      await letGo(kit, { spec: { schedule: "59 23 31 2 *" } });
      await told(kit, "InvalidSchedule");
    },
  },
  {
    name: "cron-job-fails",
    run: async (kit) => {
      await kit.create(CRONJOBS, cronJob({}, {}));
      await kit.merge(CRONJOBS, "a", {
        spec: { jobTemplate: { spec: { backoffLimit: 0 } }, failedJobsHistoryLimit: 2 },
      });
      const exit = { "kubeloop.dev/exit-code": "1" };
      const template = { metadata: { annotations: exit } };
      await kit.merge(CRONJOBS, "a", { spec: { jobTemplate: { spec: { template } } } });
      await kit.merge(CRONJOBS, "a", { status: { lastScheduleTime: LONG_AGO } }, "status");
      await kit.merge(CRONJOBS, "a", { spec: { suspend: false } });
      await ended(kit, "Failed");
    },
  },
  {
    name: "cron-allows-two",
    run: async (kit) => {
      await busy(kit, "Allow");
      await kit.until(CRONJOBS, "a", "has two", ({ status }) => status?.active?.length === 2);
      await kit.untilAll(
        JOBS,
        "both run",
        (jobs) => jobs.length === 2 && jobs.every(({ status }) => status?.ready === 1),
      );
    },
  },
  {
    name: "cron-forbids-two",
    run: async (kit) => {
      await busy(kit, "Forbid");
      await told(kit, "JobAlreadyActive");
    },
  },
  {
    name: "cron-replaces",
    run: async (kit) => {
      await busy(kit, "Replace");
      await kit.untilGone(JOBS, "old");
      await kit.untilAll(JOBS, "the new one runs", ([job]) => job?.status?.ready === 1);
      await kit.untilAll(PODS, "is one", (pods) => pods.length === 1);
      await kit.until(CRONJOBS, "a", "has one", ({ status }) => status?.active?.length === 1 && isCurrent(status));
    },
  },
  {
    name: "cron-forgot-a-job",
    run: async (kit) => {
      await kit.create(CRONJOBS, cronJob({}, {}));
      await runByHand(kit, "odd");
      await kit.until(JOBS, "odd", "runs", ({ status }) => status?.ready === 1);
    },
  },
  {
    name: "cron-missing-job",
    run: async (kit) => {
      await kit.create(CRONJOBS, cronJob({}, {}));
      const active = [{
        apiVersion: "batch/v1",
        kind: "Job",
        namespace: kit.namespace,
        name: "never-was",
        uid: "11111111-2222-3333-4444-555555555555",
      }];
      await kit.merge(CRONJOBS, "a", { status: { active } }, "status");
      await kit.until(CRONJOBS, "a", "has none active", ({ status }) => !status?.active?.length);
    },
  },
  {
    name: "cron-history",
    run: async (kit) => {
      await kit.create(CRONJOBS, cronJob({ successfulJobsHistoryLimit: 1 }, {}));
      for (const name of ["first", "second", "third"]) {
        await runByHand(kit, name, { script: { "run-for": "1s" }, isListed: true });
        await kit.until(JOBS, name, "is complete", isTrue("Complete"));
        await kit.until(CRONJOBS, "a", "has none active", ({ status }) => !status?.active?.length);
      }
      await kit.untilAll(JOBS, "is one", ([job, ...more]) => job?.metadata?.name === "third" && more.length === 0);
      await kit.untilAll(PODS, "is one", (pods) => pods.length === 1);
      await podsSettled(kit);
    },
  },
  {
    name: "cron-deleted",
    run: async (kit) => {
      await letGo(kit, { script: FOREVER });
      await kit.untilAll(JOBS, "one runs", ([job]) => job?.status?.ready === 1);
      await kit.delete(CRONJOBS, "a", "Background");
      await kit.untilAll(JOBS, "are gone", (jobs) => jobs.length === 0);
      await kit.untilAll(PODS, "are gone", (pods) => pods.length === 0);
    },
  },
];
