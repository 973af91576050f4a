import { defineController } from "../running/mod.ts";
import { buildPodGroupProtection, NAME } from "./controller.ts";
import { FINALIZER } from "./sync.ts";

/** Keeps PodGroups while pods use them. Upstream: `pkg/controller/scheduling/podgroupprotection`. */
export const PODGROUP_PROTECTION_CONTROLLER = defineController({
  name: NAME,
  gates: ["GenericWorkload"],
  group: "workloads",
  queues: ["podgroupprotection"],
  finalizers: { [FINALIZER]: "no pod of the group is active any more" },
  build: buildPodGroupProtection,
});
