import { evictionMetricNames } from "../evictions/mod.ts";
import { defineController } from "../running/mod.ts";
import { NAME } from "./actions.ts";
import { buildDeviceTaintEviction, METRICS } from "./controller.ts";

/**
 * Evicts pods from devices with taints that they do not tolerate, or no longer tolerate. Upstream:
 * `pkg/controller/devicetainteviction`.
 */
export const DEVICE_TAINT_EVICTION_CONTROLLER = defineController({
  name: NAME,
  gates: ["DynamicResourceAllocation", "DRADeviceTaints"],
  group: "workloads",
  queues: [NAME],
  metrics: Object.values(evictionMetricNames(METRICS.prefix)),
  options: {
    workers: {
      flag: "concurrent-device-taint-eviction-syncs",
      type: "int32",
      default: 8,
      help: "Evictions and status updates for tainted devices at the same time",
      configz: "DeviceTaintEvictionController.ConcurrentSyncs",
      objection: (value: number, flag: string) =>
        value < 1 ? `--${flag} must be greater than zero, got ${value}` : undefined,
    },
  },
  build: buildDeviceTaintEviction,
});
