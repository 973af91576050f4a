import { defineController, notPositive } from "../running/mod.ts";
import { buildCronJobController, NAME } from "./controller.ts";

/** Creates the Jobs of each CronJob when their times come. Upstream: `pkg/controller/cronjob`. */
export const CRONJOB_CONTROLLER = defineController({
  name: NAME,
  aliases: ["cronjob"],
  group: "workloads",
  queues: ["cronjob"],
  options: {
    workers: {
      flag: "concurrent-cron-job-syncs",
      type: "int32",
      default: 5,
      help: "CronJobs to process at the same time",
      configz: "CronJobController.ConcurrentCronJobSyncs",
      objection: notPositive,
    },
  },
  metrics: ["cronjob_controller_job_creation_skew_duration_seconds"],
  build: buildCronJobController,
});
