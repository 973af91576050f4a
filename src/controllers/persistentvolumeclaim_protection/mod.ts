import { defineController } from "../running/mod.ts";
import { buildClaimProtection, CLIENT_NAME, NAME } from "./controller.ts";
import { FINALIZER } from "./sync.ts";

/** Keeps claims while pods use them. Upstream: `pkg/controller/volume/pvcprotection`. */
export const PERSISTENTVOLUMECLAIM_PROTECTION_CONTROLLER = defineController({
  name: NAME,
  aliases: ["pvc-protection"],
  clientName: CLIENT_NAME,
  group: "workloads",
  queues: ["pvcprotection"],
  finalizers: { [FINALIZER]: "no pod on a node refers to the claim any more" },
  build: buildClaimProtection,
});
