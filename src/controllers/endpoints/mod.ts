import { defineController } from "../running/mod.ts";

/** Writes the Endpoints of each Service. Not implemented yet. Upstream: `pkg/controller/endpoint`. */
export const ENDPOINTS_CONTROLLER = defineController({
  name: "endpoints-controller",
  aliases: ["endpoint"],
  clientName: "endpoint-controller",
  options: {
    workers: {
      flag: "concurrent-endpoint-syncs",
      type: "int32",
      default: 5,
      help: "Services whose Endpoints are worked on at a time",
      configz: "EndpointController.ConcurrentEndpointSyncs",
    },
    batchPeriodMs: {
      flag: "endpoint-updates-batch-period",
      type: "duration",
      default: "0s",
      help: "Wait for more changes of pods before Endpoints are written",
      configz: "EndpointController.EndpointUpdatesBatchPeriod",
    },
  },
});
