import { defineController } from "../running/mod.ts";

/** Keeps claims as long as pods use them. Not implemented yet. Upstream: `pkg/controller/volume/pvcprotection`. */
export const PERSISTENTVOLUMECLAIM_PROTECTION_CONTROLLER = defineController({
  name: "persistentvolumeclaim-protection-controller",
  aliases: ["pvc-protection"],
  clientName: "pvc-protection-controller",
});
