import { type CronJob, CRONJOBS, JOBS, PODS } from "../../../../src/api/mod.ts";
import { parallelize } from "../../../../src/base/mod.ts";
import { eventually } from "../../../controlplane/process.ts";
import { job } from "../../../scenarios/job_kit.ts";
import { count, makeNamespace, PATIENCE } from "./kit.ts";
import type { Load } from "./load.ts";

const NAMESPACE = "cron";
const CRON_JOBS = 500;
/** The managers need not be in a hurry to learn of the CronJobs. */
const NOTICE_MS = 20_000;
const MINUTE_MS = 60_000;

/** Many CronJobs whose time comes all at once. The clock runs from that minute on. */
export const CRON_JOBS_AT_ONCE: Load = {
  name: "cronjobs",
  description: `${CRON_JOBS} CronJobs due in the same minute: Jobs started and noted, and each has its pod`,
  controllers: ["cronjob-controller", "job-controller"],
  prepare: ({ client }) => makeNamespace(client, NAMESPACE),
  async warmUp({ client }) {
    const dueMs = Math.ceil((Date.now() + NOTICE_MS) / MINUTE_MS) * MINUTE_MS;
    const due = new Date(dueMs);
    // Not every minute: a run that takes longer would have two of them to do.
    const schedule = `${due.getUTCMinutes()} ${due.getUTCHours()} * * *`;
    await parallelize(20, CRON_JOBS, async (i) => {
      await client.create(CRONJOBS, cronJob(`c${i}`, schedule), { namespace: NAMESPACE });
    });
    await new Promise((resolve) => setTimeout(resolve, dueMs - Date.now()));
  },
  async run({ client }) {
    for (const resource of [JOBS, PODS]) {
      const reached = async () => await count(client, resource, NAMESPACE) === CRON_JOBS;
      await eventually(`all ${resource.plural} exist`, reached, PATIENCE);
    }
    await eventually("all Jobs are noted", async () => {
      const { items } = await client.list(CRONJOBS, { namespace: NAMESPACE });
      return items.every(({ status }) => status?.active?.length === 1 && status.lastScheduleTime);
    }, PATIENCE);
  },
};

function cronJob(name: string, schedule: string): CronJob {
  return {
    metadata: { name },
    spec: { schedule, timeZone: "Etc/UTC", jobTemplate: { spec: job("any").spec } },
  };
}
