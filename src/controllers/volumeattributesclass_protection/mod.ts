import { defineController } from "../running/mod.ts";

/** Keeps VolumeAttributesClasses as long as volumes and claims use them. Not implemented yet. Upstream: `pkg/controller/volume/vacprotection`. */
export const VOLUMEATTRIBUTESCLASS_PROTECTION_CONTROLLER = defineController({
  name: "volumeattributesclass-protection-controller",
  gates: ["VolumeAttributesClass"],
});
