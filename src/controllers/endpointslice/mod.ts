import { defineController, outside } from "../running/mod.ts";

/** Writes the EndpointSlices of each Service. Not implemented yet. Upstream: `pkg/controller/endpointslice`. */
export const ENDPOINTSLICE_CONTROLLER = defineController({
  name: "endpointslice-controller",
  aliases: ["endpointslice"],
  options: {
    workers: {
      flag: "concurrent-service-endpoint-syncs",
      type: "int32",
      default: 5,
      help: "Services whose EndpointSlices are worked on at a time, 1 to 50",
      configz: "EndpointSliceController.ConcurrentServiceEndpointSyncs",
      objection: outside(1, 50),
    },
    mostEndpoints: {
      flag: "max-endpoints-per-slice",
      type: "int32",
      default: 100,
      help: "Endpoints in an EndpointSlice, 1 to 1000",
      configz: "EndpointSliceController.MaxEndpointsPerSlice",
      objection: outside(1, 1000),
    },
    batchPeriodMs: {
      flag: "endpointslice-updates-batch-period",
      type: "duration",
      default: "0s",
      help: "Wait for more changes of pods before EndpointSlices are written",
      configz: "EndpointSliceController.EndpointUpdatesBatchPeriod",
    },
  },
});
