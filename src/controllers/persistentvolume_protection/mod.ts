import { defineController } from "../running/mod.ts";

/** Keeps volumes as long as they are bound. Not implemented yet. Upstream: `pkg/controller/volume/pvprotection`. */
export const PERSISTENTVOLUME_PROTECTION_CONTROLLER = defineController({
  name: "persistentvolume-protection-controller",
  aliases: ["pv-protection"],
  clientName: "pv-protection-controller",
});
