import { defineController, notPositive } from "../running/mod.ts";

/** Creates the claims of ephemeral volumes. Not implemented yet. Upstream: `pkg/controller/volume/ephemeral`. */
export const EPHEMERAL_VOLUME_CONTROLLER = defineController({
  name: "ephemeral-volume-controller",
  aliases: ["ephemeral-volume"],
  options: {
    workers: {
      flag: "concurrent-ephemeralvolume-syncs",
      type: "int32",
      default: 5,
      help: "Ephemeral volumes worked on at a time",
      configz: "EphemeralVolumeController.ConcurrentEphemeralVolumeSyncs",
      objection: notPositive,
    },
  },
});
