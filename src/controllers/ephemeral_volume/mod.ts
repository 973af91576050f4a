import { defineController, notPositive } from "../running/mod.ts";
import { buildEphemeralVolumes, NAME } from "./controller.ts";
import { CREATE_FAILURES, CREATES } from "./metrics.ts";

/** Creates the claims of ephemeral volumes. Upstream: `pkg/controller/volume/ephemeral`. */
export const EPHEMERAL_VOLUME_CONTROLLER = defineController({
  name: NAME,
  aliases: ["ephemeral-volume"],
  group: "workloads",
  queues: ["ephemeral_volume"],
  metrics: [CREATE_FAILURES, CREATES],
  options: {
    workers: {
      flag: "concurrent-ephemeralvolume-syncs",
      type: "int32",
      default: 5,
      help: "Ephemeral volumes to process at the same time",
      configz: "EphemeralVolumeController.ConcurrentEphemeralVolumeSyncs",
      objection: notPositive,
    },
  },
  build: buildEphemeralVolumes,
});
