import { defineController, notPositive } from "../running/mod.ts";
import { buildTtlController, NAME } from "./controller.ts";

/** Deletes Jobs some time after they finish. Upstream: `pkg/controller/ttlafterfinished`. */
export const TTL_AFTER_FINISHED_CONTROLLER = defineController({
  name: NAME,
  aliases: ["ttl-after-finished"],
  group: "workloads",
  queues: ["ttl_jobs_to_delete"],
  options: {
    workers: {
      flag: "concurrent-ttl-after-finished-syncs",
      type: "int32",
      default: 5,
      help: "Finished Jobs to process at the same time",
      configz: "TTLAfterFinishedController.ConcurrentTTLSyncs",
      objection: notPositive,
    },
  },
  metrics: ["ttl_after_finished_controller_job_deletion_duration_seconds"],
  build: buildTtlController,
});
