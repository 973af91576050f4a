import { defineController, outside } from "../running/mod.ts";
import { buildMirroringController, CLIENT_NAME, NAME } from "./controller.ts";

/** Copies Endpoints that users write to EndpointSlices. Upstream: `pkg/controller/endpointslicemirroring`. */
export const ENDPOINTSLICE_MIRRORING_CONTROLLER = defineController({
  name: NAME,
  aliases: ["endpointslicemirroring"],
  clientName: CLIENT_NAME,
  group: "workloads",
  queues: ["endpoint_slice_mirroring"],
  metrics: [
    "endpoint_slice_mirroring_controller_addresses_skipped_per_sync",
    "endpoint_slice_mirroring_controller_changes",
    "endpoint_slice_mirroring_controller_desired_endpoint_slices",
    "endpoint_slice_mirroring_controller_endpoints_added_per_sync",
    "endpoint_slice_mirroring_controller_endpoints_desired",
    "endpoint_slice_mirroring_controller_endpoints_removed_per_sync",
    "endpoint_slice_mirroring_controller_endpoints_sync_duration",
    "endpoint_slice_mirroring_controller_endpoints_updated_per_sync",
    "endpoint_slice_mirroring_controller_num_endpoint_slices",
  ],
  options: {
    workers: {
      flag: "mirroring-concurrent-service-endpoint-syncs",
      type: "int32",
      default: 5,
      help: "Endpoints to mirror at the same time, 1 to 50",
      configz: "EndpointSliceMirroringController.MirroringConcurrentServiceEndpointSyncs",
      objection: outside(1, 50),
    },
    mostEndpoints: {
      flag: "mirroring-max-endpoints-per-subset",
      type: "int32",
      default: 1000,
      help: "Largest number of endpoints in a mirrored slice, 1 to 1000",
      configz: "EndpointSliceMirroringController.MirroringMaxEndpointsPerSubset",
      objection: outside(1, 1000),
    },
    batchPeriodMs: {
      flag: "mirroring-endpointslice-updates-batch-period",
      type: "duration",
      default: "0s",
      help: "How long to collect changes before mirrored slices are written",
      configz: "EndpointSliceMirroringController.MirroringEndpointUpdatesBatchPeriod",
    },
  },
  build: buildMirroringController,
});
