/**
 * Jobs and CronJobs that make no sense: what comes of them, and that others of their kind, which are all called `ok`, run all the
 * same.
 */
import {
  type CronJob,
  CRONJOBS,
  type CronJobSpec,
  type Job,
  JOBS,
  newControllerRef,
  PODS,
  RESOURCEQUOTAS,
} from "../../src/api/mod.ts";
import { cronJob, LONG_AGO } from "./cronjob_scenarios.ts";
import { FOREVER, isTrue, job, podsSettled } from "./job_kit.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";
import { HUGE, OVERFLOWING_SECONDS, podOfAnother, podOfNobody, told } from "./senseless_kit.ts";

async function jobIsFine(kit: Kit): Promise<void> {
  await kit.create(JOBS, job("ok"));
  await kit.until(JOBS, "ok", "is complete", isTrue("Complete"));
  await podsSettled(kit);
}

/** A Job of which one must be able to tell its pods. */
function selecting(name: string, app: string, spec: Job["spec"]): Job {
  return job(name, { ...spec, manualSelector: true, selector: { matchLabels: { app } } }, FOREVER);
}

const JOB: readonly Scenario[] = [
  {
    name: "odd-job-overlapping",
    run: async (kit) => {
      for (const name of ["a", "b"]) {
        const { spec } = selecting("a", "a", job("a", {}, FOREVER).spec);
        await kit.create(JOBS, { metadata: { name }, spec });
      }
      for (const name of ["a", "b"]) await kit.until(JOBS, name, "runs", ({ status }) => status?.ready === 1);
      await jobIsFine(kit);
    },
  },
  {
    name: "odd-job-pods-of-others",
    run: async (kit) => {
      await podOfAnother(kit, "another", "a");
      await kit.create(JOBS, selecting("a", "a", job("a", {}, FOREVER).spec));
      await podOfNobody(kit, "nobody", "a", JOBS);
      await kit.until(JOBS, "a", "runs", ({ status }) => status?.ready === 1);
      await jobIsFine(kit);
    },
  },
  {
    name: "odd-job-deadline-overflows",
    run: async (kit) => {
      await kit.create(JOBS, job("a", { activeDeadlineSeconds: OVERFLOWING_SECONDS }, FOREVER));
      await kit.create(JOBS, job("b", { activeDeadlineSeconds: 9e18 }, FOREVER));
      await kit.until(JOBS, "a", "has failed", isTrue("Failed"));
      await kit.until(JOBS, "b", "has started", ({ status }) => status?.startTime);
      await jobIsFine(kit);
    },
  },
  {
    name: "odd-job-too-parallel",
    run: async (kit) => {
      const hard = { pods: "2" };
      await kit.create(RESOURCEQUOTAS, { metadata: { name: "few" }, spec: { hard } });
      await kit.until(RESOURCEQUOTAS, "few", "is measured", ({ status }) => status?.used?.pods === "0");
      await kit.create(JOBS, job("a", { completions: HUGE, parallelism: HUGE, backoffLimit: HUGE }, FOREVER));
      await kit.until(JOBS, "a", "has two pods", ({ status }) => status?.ready === 2);
      await told(kit, "a", "FailedCreate");
    },
  },
  {
    name: "odd-job-negative-limits",
    run: async (kit) => {
      await kit.createUnchecked(JOBS, job("a", {}, FOREVER), ({ spec }) => {
        spec!.backoffLimit = -1;
        spec!.completions = -2;
        spec!.ttlSecondsAfterFinished = -5;
      });
      await kit.createUnchecked(JOBS, job("b", {}, FOREVER), ({ spec }) => {
        spec!.activeDeadlineSeconds = -5;
      });
      await kit.createUnchecked(JOBS, job("c", {}, FOREVER), ({ spec }) => {
        spec!.parallelism = -1;
      });
      await kit.until(JOBS, "b", "has failed", isTrue("Failed"));
      await jobIsFine(kit);
    },
  },
  {
    name: "odd-job-unknown-mode",
    run: async (kit) => {
      await kit.createUnchecked(JOBS, job("a"), ({ spec }) => {
        spec!.completionMode = "Sideways";
      });
      await told(kit, "a", "UnknownCompletionMode");
      await jobIsFine(kit);
    },
  },
  {
    name: "odd-job-unknown-action",
    run: async (kit) => {
      const rules = [{ action: "FailJob", onExitCodes: { operator: "In", values: [3] } }];
      await kit.createUnchecked(
        JOBS,
        job("a", { podFailurePolicy: { rules }, backoffLimit: 0 }, { "exit-code": "3" }),
        ({ spec }) => {
          spec!.podFailurePolicy!.rules[0].action = "Shrug";
        },
      );
      await kit.until(JOBS, "a", "has failed", isTrue("Failed"));
      await podsSettled(kit);
      await jobIsFine(kit);
    },
  },
  {
    name: "odd-job-index-changed",
    run: async (kit) => {
      await kit.create(JOBS, job("a", { completionMode: "Indexed", completions: 1 }, FOREVER));
      await kit.until(JOBS, "a", "runs", ({ status }) => status?.ready === 1);
      const [{ metadata }] = await kit.list(PODS);
      const annotations = { "batch.kubernetes.io/job-completion-index": "-7" };
      await kit.merge(PODS, metadata!.name!, { metadata: { annotations } });
      await kit.untilGone(PODS, metadata!.name!);
      await kit.until(JOBS, "a", "runs again", ({ status }) => status?.ready === 1 && !status.terminating);
      await podsSettled(kit);
      await jobIsFine(kit);
    },
  },
];

/** Jobs that have ended, or so they say. */
const ENDED: readonly Scenario[] = [
  {
    name: "odd-ttl-negative",
    run: async (kit) => {
      await kit.createUnchecked(JOBS, job("a"), ({ spec }) => {
        spec!.ttlSecondsAfterFinished = -5;
      });
      // Its finalizer stays: what takes it off is refused, too.
      await kit.until(JOBS, "a", "is being deleted", ({ metadata }) => metadata?.deletionTimestamp);
      await kit.untilAll(PODS, "are gone", (pods) => pods.length === 0);
      await jobIsFine(kit);
    },
  },
  {
    name: "odd-ttl-huge",
    run: async (kit) => {
      await kit.create(JOBS, job("a", { ttlSecondsAfterFinished: HUGE }));
      await kit.until(JOBS, "a", "is complete", isTrue("Complete"));
      await kit.create(JOBS, job("ok", { ttlSecondsAfterFinished: 0 }));
      await kit.untilGone(JOBS, "ok");
      await kit.untilAll(PODS, "is one", (pods) => pods.length === 1);
      await podsSettled(kit);
    },
  },
  {
    name: "odd-ttl-without-time",
    run: async (kit) => {
      await kit.createUnchecked(JOBS, job("a", { ttlSecondsAfterFinished: 0 }), (made) => {
        made.status = { conditions: [{ type: "Complete", status: "True" }], succeeded: 1 };
      });
      await kit.create(JOBS, job("ok", { ttlSecondsAfterFinished: 0 }));
      await kit.untilGone(JOBS, "ok");
      await kit.untilAll(PODS, "are gone", (pods) => pods.length === 0);
    },
  },
];

/** A CronJob that was due long ago and has been spoilt. */
async function createOverdue(kit: Kit, spoil: (spec: CronJobSpec) => void, name = "a"): Promise<void> {
  const { spec, ...rest } = cronJob({ suspend: false }, {});
  await kit.createUnchecked(CRONJOBS, { ...rest, metadata: { name }, spec }, (made: CronJob) => {
    made.status = { lastScheduleTime: LONG_AGO };
    spoil(made.spec);
  });
}

async function cronJobIsFine(kit: Kit): Promise<void> {
  await createOverdue(kit, () => {}, "ok");
  await kit.until(CRONJOBS, "ok", "has run", ({ status }) => status?.lastSuccessfulTime && !status.active?.length);
  await podsSettled(kit);
}

/** Spoilt CronJobs, and the reason of the event that tells of it. */
const TOLD: readonly (readonly [name: string, reason: string, spoil: (spec: CronJobSpec) => void])[] = [
  ["odd-cron-unparsable", "UnparseableSchedule", (spec) => spec.schedule = "every now & then"],
  ["odd-cron-too-few-fields", "UnparseableSchedule", (spec) => spec.schedule = "* * *"],
  ["odd-cron-out-of-range", "UnparseableSchedule", (spec) => spec.schedule = "61 0 1 1 *"],
  ["odd-cron-empty", "UnparseableSchedule", (spec) => spec.schedule = ""],
  ["odd-cron-unknown-descriptor", "UnparseableSchedule", (spec) => spec.schedule = "@sometimes"],
  ["odd-cron-unknown-zone", "UnknownTimeZone", (spec) => spec.timeZone = "Mars/Olympus_Mons"],
  ["odd-cron-empty-zone", "SuccessfulCreate", (spec) => spec.timeZone = ""],
  ["odd-cron-zone-in-schedule", "UnsupportedSchedule", (spec) => spec.schedule = "TZ=Europe/Rome 0 0 1 1 *"],
  ["odd-cron-unknown-zone-in-schedule", "UnparseableSchedule", (spec) => spec.schedule = "CRON_TZ=Mars/X 0 0 1 1 *"],
  ["odd-cron-unknown-policy", "SuccessfulCreate", (spec) => spec.concurrencyPolicy = "Sometimes"],
  ["odd-cron-refused-template", "FailedCreate", (spec) => spec.jobTemplate.spec!.parallelism = -1],
];

const CRON: readonly Scenario[] = [
  ...TOLD.map(([name, reason, spoil]): Scenario => ({
    name,
    run: async (kit) => {
      await createOverdue(kit, spoil);
      await told(kit, "a", reason);
      await cronJobIsFine(kit);
    },
  })),
  {
    name: "odd-cron-spoilt-later",
    run: async (kit) => {
      await kit.create(CRONJOBS, cronJob({ suspend: false }, {}));
      await kit.changeUnchecked(CRONJOBS, "a", ({ spec }) => {
        spec.schedule = "whenever";
      });
      await told(kit, "a", "UnParseableCronJobSchedule");
      await cronJobIsFine(kit);
    },
  },
  {
    name: "odd-cron-deadlines",
    run: async (kit) => {
      await createOverdue(kit, (spec) => spec.startingDeadlineSeconds = OVERFLOWING_SECONDS);
      await createOverdue(kit, (spec) => spec.startingDeadlineSeconds = -60, "b");
      await createOverdue(kit, (spec) => spec.startingDeadlineSeconds = HUGE, "c");
      await kit.until(CRONJOBS, "c", "has run", ({ status }) => status?.lastSuccessfulTime && !status.active?.length);
      await cronJobIsFine(kit);
    },
  },
  {
    name: "odd-cron-job-freed",
    run: async (kit) => {
      await kit.createUnchecked(CRONJOBS, cronJob({ suspend: false }, FOREVER), (made) => {
        made.status = { lastScheduleTime: LONG_AGO };
      });
      await kit.until(CRONJOBS, "a", "has one that runs", ({ status }) => status?.active?.length === 1);
      const [{ metadata }] = await kit.list(JOBS);
      await kit.until(JOBS, metadata!.name!, "runs", ({ status }) => status?.ready === 1);
      await kit.merge(JOBS, metadata!.name!, { metadata: { ownerReferences: null } });
      await kit.merge(CRONJOBS, "a", { metadata: { labels: { seen: "yes" } } });
      await cronJobIsFine(kit);
    },
  },
  {
    name: "odd-cron-name-taken",
    run: async (kit) => {
      const minutes = Date.UTC(new Date().getUTCFullYear(), 0, 1) / 60_000;
      await kit.create(JOBS, job(`a-${minutes}`, { suspend: true }));
      await createOverdue(kit, () => {});
      await cronJobIsFine(kit);
    },
  },
  {
    name: "odd-cron-job-of-nobody",
    run: async (kit) => {
      const never = { metadata: { name: "a", uid: "11111111-2222-3333-4444-555555555555" } };
      const ownerReferences = [{ ...newControllerRef(never, CRONJOBS), blockOwnerDeletion: undefined }];
      await kit.create(CRONJOBS, cronJob({}, {}));
      await kit.create(JOBS, job("odd", {}, FOREVER));
      // Or it is chance whether it has made its pod when it is collected.
      await kit.untilAll(PODS, "one runs", (pods) => pods.some(({ status }) => status?.phase === "Running"));
      await kit.merge(JOBS, "odd", { metadata: { ownerReferences } });
      await kit.untilGone(JOBS, "odd");
      await kit.untilAll(PODS, "are gone", (pods) => pods.length === 0);
      await cronJobIsFine(kit);
    },
  },
];

export const SENSELESS_JOB_SCENARIOS: readonly Scenario[] = [...JOB, ...ENDED, ...CRON];
