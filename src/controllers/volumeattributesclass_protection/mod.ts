import { defineController } from "../running/mod.ts";
import { buildAttributesClassProtection, FINALIZER, NAME } from "./controller.ts";

/**
 * Keeps VolumeAttributesClasses as long as volumes and claims use them. Upstream:
 * `pkg/controller/volume/vacprotection`.
 */
export const VOLUMEATTRIBUTESCLASS_PROTECTION_CONTROLLER = defineController({
  name: NAME,
  gates: ["VolumeAttributesClass"],
  queues: ["vacprotection"],
  finalizers: { [FINALIZER]: "no claim and no volume refers to the class any more" },
  build: buildAttributesClassProtection,
});
