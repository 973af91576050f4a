import { defineController } from "../running/mod.ts";

/** Keeps PodGroups as long as pods use them. Not implemented yet. Upstream: `pkg/controller/scheduling/podgroupprotection`. */
export const PODGROUP_PROTECTION_CONTROLLER = defineController({
  name: "podgroup-protection-controller",
  gates: ["GenericWorkload"],
});
