import { defineController, notPositive } from "../running/mod.ts";
import { buildJobController, NAME } from "./controller.ts";
import { TRACKING_FINALIZER } from "./names.ts";

/** Runs the pods of each Job to completion and counts them. Upstream: `pkg/controller/job`. */
export const JOB_CONTROLLER = defineController({
  name: NAME,
  aliases: ["job"],
  group: "workloads",
  queues: ["job", "job_orphan_pod"],
  finalizers: { [TRACKING_FINALIZER]: "the pod's end has been counted in the status of its Job, or the Job is gone" },
  options: {
    workers: {
      flag: "concurrent-job-syncs",
      type: "int32",
      default: 5,
      help: "Jobs to process at the same time",
      configz: "JobController.ConcurrentJobSyncs",
      objection: notPositive,
    },
  },
  metrics: [
    "job_controller_job_finished_indexes_total",
    "job_controller_job_pods_creation_total",
    "job_controller_job_pods_finished_total",
    "job_controller_job_sync_duration_seconds",
    "job_controller_job_syncs_total",
    "job_controller_jobs_by_external_controller_total",
    "job_controller_jobs_finished_total",
    "job_controller_pod_failures_handled_by_failure_policy_total",
    "job_controller_stale_sync_skips_total",
    "job_controller_terminated_pods_tracking_finalizer_total",
  ],
  build: buildJobController,
});
