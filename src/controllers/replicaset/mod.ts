import { defineController, notPositive } from "../running/mod.ts";
import { buildReplicaSetController } from "./controller.ts";
import { REPLICASET_KIND } from "./kind.ts";

export { buildReplicaController } from "./build.ts";
export type { ReplicaKind } from "./kind.ts";

/** Keeps the number of pods of each ReplicaSet. Upstream: `pkg/controller/replicaset`. */
export const REPLICASET_CONTROLLER = defineController({
  name: REPLICASET_KIND.controllerName,
  aliases: ["replicaset"],
  group: "workloads",
  queues: [REPLICASET_KIND.queueName],
  options: {
    workers: {
      flag: "concurrent-replicaset-syncs",
      type: "int32",
      default: 5,
      help: "ReplicaSets to process at the same time",
      configz: "ReplicaSetController.ConcurrentRSSyncs",
      objection: notPositive,
    },
  },
  metrics: ["replicaset_controller_sorting_deletion_age_ratio", "replicaset_controller_stale_sync_skips_total"],
  build: buildReplicaSetController,
});
