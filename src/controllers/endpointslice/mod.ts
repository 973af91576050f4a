import { defineController, outside } from "../running/mod.ts";
import { buildEndpointSliceController, NAME } from "./controller.ts";

/** Writes the EndpointSlices of each Service with a selector. Upstream: `pkg/controller/endpointslice`. */
export const ENDPOINTSLICE_CONTROLLER = defineController({
  name: NAME,
  aliases: ["endpointslice"],
  group: "workloads",
  queues: ["endpoint_slice"],
  metrics: [
    "endpoint_slice_controller_changes",
    "endpoint_slice_controller_desired_endpoint_slices",
    "endpoint_slice_controller_endpoints_added_per_sync",
    "endpoint_slice_controller_endpoints_desired",
    "endpoint_slice_controller_endpoints_removed_per_sync",
    "endpoint_slice_controller_endpointslices_changed_per_sync",
    "endpoint_slice_controller_num_endpoint_slices",
    "endpoint_slice_controller_services_count_by_traffic_distribution",
    "endpoint_slice_controller_syncs",
  ],
  options: {
    workers: {
      flag: "concurrent-service-endpoint-syncs",
      type: "int32",
      default: 5,
      help: "Services whose EndpointSlices are updated at the same time, 1 to 50",
      configz: "EndpointSliceController.ConcurrentServiceEndpointSyncs",
      objection: outside(1, 50),
    },
    mostEndpoints: {
      flag: "max-endpoints-per-slice",
      type: "int32",
      default: 100,
      help: "Largest number of endpoints in an EndpointSlice, 1 to 1000",
      configz: "EndpointSliceController.MaxEndpointsPerSlice",
      objection: outside(1, 1000),
    },
    batchPeriodMs: {
      flag: "endpointslice-updates-batch-period",
      type: "duration",
      default: "0s",
      help: "How long to collect changes of pods before EndpointSlices are written",
      configz: "EndpointSliceController.EndpointUpdatesBatchPeriod",
    },
  },
  build: buildEndpointSliceController,
});
