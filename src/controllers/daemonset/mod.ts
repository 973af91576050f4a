import { defineController, notPositive } from "../running/mod.ts";
import { buildDaemonSetController, CLIENT_NAME, NAME } from "./controller.ts";

/** Keeps a pod of each DaemonSet on every node that it is for. Upstream: `pkg/controller/daemon`. */
export const DAEMONSET_CONTROLLER = defineController({
  name: NAME,
  aliases: ["daemonset"],
  clientName: CLIENT_NAME,
  group: "workloads",
  queues: ["daemonset", "daemonset-node-updates"],
  options: {
    workers: {
      flag: "concurrent-daemonset-syncs",
      type: "int32",
      default: 2,
      help: "DaemonSets to process at the same time",
      configz: "DaemonSetController.ConcurrentDaemonSetSyncs",
      objection: notPositive,
    },
  },
  metrics: ["daemonset_controller_stale_sync_skips_total"],
  build: buildDaemonSetController,
});
