import { defineController } from "../running/mod.ts";
import { buildAttachDetach, CLIENT_NAME, NAME } from "./controller.ts";
import { DURATIONS, FORCED, IN_USE, TOTAL_VOLUMES } from "./metrics.ts";

/** Attaches volumes to nodes and detaches them. Upstream: `pkg/controller/volume/attachdetach`. */
export const PERSISTENTVOLUME_ATTACH_DETACH_CONTROLLER = defineController({
  name: NAME,
  aliases: ["attachdetach"],
  clientName: CLIENT_NAME,
  queues: ["pvcs", "attachdetach_volumes", "attachdetach_nodes"],
  needs: { drivers: "flex-volume-plugin-dir" },
  metrics: [DURATIONS, FORCED, IN_USE, TOTAL_VOLUMES],
  options: {
    reconcilesNever: {
      flag: "disable-attach-detach-reconcile-sync",
      type: "bool",
      default: false,
      help: "Do not compare attached volumes with the nodes",
      configz: "AttachDetachController.DisableAttachDetachReconcilerSync",
    },
    reconcilePeriodMs: {
      flag: "attach-detach-reconcile-sync-period",
      type: "duration",
      default: "1m0s",
      help: "How often to compare attached volumes with the nodes; more than 1s",
      configz: "AttachDetachController.ReconcilerSyncLoopPeriod",
      objection: (periodMs: number, flag: string) =>
        periodMs < 1000
          ? "duration time must be greater than one second as set via command line option reconcile-sync-loop-period: see " +
            `--${flag}`
          : undefined,
    },
    forceDetachesNever: {
      flag: "disable-force-detach-on-timeout",
      type: "bool",
      default: false,
      help: "Never detach a volume that its node does not release",
      configz: "AttachDetachController.disableForceDetachOnTimeout",
    },
  },
  build: buildAttachDetach,
});
