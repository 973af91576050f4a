import { defineController } from "../running/mod.ts";

/** Creates the ResourceClaims of pods, and frees those that are no longer used. Not implemented yet. Upstream: `pkg/controller/resourceclaim`. */
export const RESOURCECLAIM_CONTROLLER = defineController({
  name: "resourceclaim-controller",
  aliases: ["resource-claim-controller"],
  clientName: "resource-claim-controller",
  gates: ["DynamicResourceAllocation"],
  options: {
    workers: {
      flag: "concurrent-resourceclaim-syncs",
      type: "int32",
      default: 50,
      help: "ResourceClaims made or deleted at a time",
      configz: "ResourceClaimController.ConcurrentSyncs",
      objection: (value: number, flag: string) =>
        value < 1 ? `--${flag} must be larger than 0, got ${value}` : undefined,
    },
  },
});
