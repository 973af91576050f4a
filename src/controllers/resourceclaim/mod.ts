import { defineController } from "../running/mod.ts";
import { buildResourceClaims, CLIENT_NAME, NAME } from "./controller.ts";
import { CLAIMS, CREATES } from "./metrics.ts";
import { DEVICES_FINALIZER } from "./needs.ts";

/**
 * Creates the ResourceClaims of pods and their groups, and frees those that are no longer used. Upstream:
 * `pkg/controller/resourceclaim`.
 */
export const RESOURCECLAIM_CONTROLLER = defineController({
  name: NAME,
  aliases: ["resource-claim-controller"],
  clientName: CLIENT_NAME,
  gates: ["DynamicResourceAllocation"],
  group: "workloads",
  queues: ["resource_claim"],
  finalizers: { [DEVICES_FINALIZER]: "no pod has the claim reserved and it is deallocated" },
  metrics: [CREATES, CLAIMS],
  options: {
    workers: {
      flag: "concurrent-resourceclaim-syncs",
      type: "int32",
      default: 50,
      help: "ResourceClaims to create or delete at the same time",
      configz: "ResourceClaimController.ConcurrentSyncs",
      objection: (value: number, flag: string) =>
        value < 1 ? `--${flag} must be larger than 0, got ${value}` : undefined,
    },
  },
  build: buildResourceClaims,
});
