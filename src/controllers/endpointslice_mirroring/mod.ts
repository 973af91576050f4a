import { defineController, outside } from "../running/mod.ts";

/** Copies Endpoints that users write to EndpointSlices. Not implemented yet. Upstream: `pkg/controller/endpointslicemirroring`. */
export const ENDPOINTSLICE_MIRRORING_CONTROLLER = defineController({
  name: "endpointslice-mirroring-controller",
  aliases: ["endpointslicemirroring"],
  clientName: "endpointslicemirroring-controller",
  options: {
    workers: {
      flag: "mirroring-concurrent-service-endpoint-syncs",
      type: "int32",
      default: 5,
      help: "Endpoints mirrored at a time, 1 to 50",
      configz: "EndpointSliceMirroringController.MirroringConcurrentServiceEndpointSyncs",
      objection: outside(1, 50),
    },
    mostEndpoints: {
      flag: "mirroring-max-endpoints-per-subset",
      type: "int32",
      default: 1000,
      help: "Endpoints in a mirrored slice, 1 to 1000",
      configz: "EndpointSliceMirroringController.MirroringMaxEndpointsPerSubset",
      objection: outside(1, 1000),
    },
    batchPeriodMs: {
      flag: "mirroring-endpointslice-updates-batch-period",
      type: "duration",
      default: "0s",
      help: "Wait for more changes before mirrored slices are written",
      configz: "EndpointSliceMirroringController.MirroringEndpointUpdatesBatchPeriod",
    },
  },
});
