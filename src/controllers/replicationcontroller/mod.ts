import { defineController, notPositive } from "../running/mod.ts";
import { buildReplicationControllerController } from "./controller.ts";
import { REPLICATIONCONTROLLER_KIND } from "./kind.ts";

export { REPLICATIONCONTROLLER_KIND } from "./kind.ts";

/** Keeps the number of pods of each ReplicationController. Upstream: `pkg/controller/replication`. */
export const REPLICATIONCONTROLLER_CONTROLLER = defineController({
  name: REPLICATIONCONTROLLER_KIND.controllerName,
  aliases: ["replicationcontroller"],
  clientName: REPLICATIONCONTROLLER_KIND.component,
  group: "workloads",
  queues: [REPLICATIONCONTROLLER_KIND.queueName],
  options: {
    workers: {
      flag: "concurrent-rc-syncs",
      type: "int32",
      default: 5,
      help: "ReplicationControllers to process at the same time",
      configz: "ReplicationController.ConcurrentRCSyncs",
      objection: notPositive,
    },
  },
  metrics: ["replicaset_controller_sorting_deletion_age_ratio"],
  build: buildReplicationControllerController,
});
