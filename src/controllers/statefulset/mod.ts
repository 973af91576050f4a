import { defineController, notPositive } from "../running/mod.ts";
import { buildStatefulSetController, NAME } from "./controller.ts";

/** Maintains the numbered pods and claims of each StatefulSet. Upstream: `pkg/controller/statefulset`. */
export const STATEFULSET_CONTROLLER = defineController({
  name: NAME,
  aliases: ["statefulset"],
  group: "workloads",
  queues: ["statefulset"],
  options: {
    workers: {
      flag: "concurrent-statefulset-syncs",
      type: "int32",
      default: 5,
      help: "StatefulSets to process at the same time",
      configz: "StatefulSetController.ConcurrentStatefulSetSyncs",
      objection: notPositive,
    },
  },
  metrics: [
    "statefulset_controller_statefulset_max_unavailable",
    "statefulset_controller_statefulset_unavailable_replicas",
  ],
  build: buildStatefulSetController,
});
