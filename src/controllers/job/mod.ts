import { defineController, notPositive } from "../running/mod.ts";
import { buildJobController, NAME } from "./controller.ts";

/** Runs the pods of each Job to completion and counts them. Upstream: `pkg/controller/job`. */
export const JOB_CONTROLLER = defineController({
  name: NAME,
  aliases: ["job"],
  group: "workloads",
  queues: ["job", "job_orphan_pod"],
  options: {
    workers: {
      flag: "concurrent-job-syncs",
      type: "int32",
      default: 5,
      help: "Jobs worked on at a time",
      configz: "JobController.ConcurrentJobSyncs",
      objection: notPositive,
    },
  },
  build: buildJobController,
});
