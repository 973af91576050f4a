import { defineController } from "../running/mod.ts";

/** Evicts pods from tainted devices. Not implemented yet. Upstream: `pkg/controller/devicetainteviction`. */
export const DEVICE_TAINT_EVICTION_CONTROLLER = defineController({
  name: "device-taint-eviction-controller",
  gates: ["DynamicResourceAllocation", "DRADeviceTaints"],
  options: {
    workers: {
      flag: "concurrent-device-taint-eviction-syncs",
      type: "int32",
      default: 8,
      help: "Evictions and status updates for tainted devices at a time",
      configz: "DeviceTaintEvictionController.ConcurrentSyncs",
      objection: (value: number, flag: string) =>
        value < 1 ? `--${flag} must be greater than zero, got ${value}` : undefined,
    },
  },
});
