import { defineController, notPositive } from "../running/mod.ts";
import { buildQuotaController } from "./controller.ts";
import { NAME } from "./quota_controller.ts";

/** Keeps quotas' usage up to date. Upstream: `pkg/controller/resourcequota`. */
export const RESOURCEQUOTA_CONTROLLER = defineController({
  name: NAME,
  aliases: ["resourcequota"],
  group: "garbage",
  queues: ["resource_quota_controller_resource_changes", "resourcequota_primary", "resourcequota_priority"],
  options: {
    syncPeriodMs: {
      flag: "resource-quota-sync-period",
      type: "duration",
      default: "5m0s",
      help: "How often to recalculate the usage of all quotas",
      configz: "ResourceQuotaController.ResourceQuotaSyncPeriod",
    },
    workers: {
      flag: "concurrent-resource-quota-syncs",
      type: "int32",
      default: 5,
      help: "Quotas to process at the same time",
      configz: "ResourceQuotaController.ConcurrentResourceQuotaSyncs",
      objection: notPositive,
    },
  },
  build: buildQuotaController,
});
