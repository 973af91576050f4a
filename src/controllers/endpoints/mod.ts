import { defineController } from "../running/mod.ts";
import { buildEndpointsController, CLIENT_NAME, NAME } from "./controller.ts";

/** Writes the Endpoints of each Service. Upstream: `pkg/controller/endpoint`. */
export const ENDPOINTS_CONTROLLER = defineController({
  name: NAME,
  aliases: ["endpoint"],
  clientName: CLIENT_NAME,
  group: "workloads",
  queues: ["endpoint"],
  options: {
    workers: {
      flag: "concurrent-endpoint-syncs",
      type: "int32",
      default: 5,
      help: "Services whose Endpoints are updated at the same time",
      configz: "EndpointController.ConcurrentEndpointSyncs",
    },
    batchPeriodMs: {
      flag: "endpoint-updates-batch-period",
      type: "duration",
      default: "0s",
      help: "How long to collect changes of pods before Endpoints are written",
      configz: "EndpointController.EndpointUpdatesBatchPeriod",
    },
  },
  build: buildEndpointsController,
});
