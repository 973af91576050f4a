import { defineController } from "../running/mod.ts";
import { buildPodGarbageCollector, CLIENT_NAME, NAME } from "./controller.ts";

/** Deletes pods that nobody else will end. Upstream: `pkg/controller/podgc`. */
export const POD_GARBAGE_COLLECTOR_CONTROLLER = defineController({
  name: NAME,
  aliases: ["podgc"],
  clientName: CLIENT_NAME,
  group: "workloads",
  queues: ["orphaned_pods_nodes"],
  options: {
    terminatedPodThreshold: {
      flag: "terminated-pod-gc-threshold",
      type: "int32",
      default: 12500,
      help: "Number of finished pods to keep; 0 or less keeps all",
      configz: "PodGCController.TerminatedPodGCThreshold",
    },
  },
  metrics: ["pod_gc_collector_force_delete_pod_errors_total", "pod_gc_collector_force_delete_pods_total"],
  build: buildPodGarbageCollector,
});
