import { defineController } from "../running/mod.ts";

/** Attaches volumes to nodes and detaches them. Not implemented yet. Upstream: `pkg/controller/volume/attachdetach`. */
export const PERSISTENTVOLUME_ATTACH_DETACH_CONTROLLER = defineController({
  name: "persistentvolume-attach-detach-controller",
  aliases: ["attachdetach"],
  clientName: "attachdetach-controller",
  options: {
    reconcilesNever: {
      flag: "disable-attach-detach-reconcile-sync",
      type: "bool",
      default: false,
      help: "Do not compare attached volumes",
      configz: "AttachDetachController.DisableAttachDetachReconcilerSync",
    },
    reconcilePeriodMs: {
      flag: "attach-detach-reconcile-sync-period",
      type: "duration",
      default: "1m0s",
      help: "How often attached volumes are compared; over 1s",
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
      help: "Never detach a volume that a node does not give back",
      configz: "AttachDetachController.disableForceDetachOnTimeout",
    },
  },
});
