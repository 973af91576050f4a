import { defineController } from "../running/mod.ts";
import { buildVolumeProtection, CLIENT_NAME, FINALIZER, NAME } from "./controller.ts";

/** Keeps volumes while they are bound. Upstream: `pkg/controller/volume/pvprotection`. */
export const PERSISTENTVOLUME_PROTECTION_CONTROLLER = defineController({
  name: NAME,
  aliases: ["pv-protection"],
  clientName: CLIENT_NAME,
  queues: ["pvprotection"],
  finalizers: { [FINALIZER]: "the volume is not bound any more" },
  build: buildVolumeProtection,
});
