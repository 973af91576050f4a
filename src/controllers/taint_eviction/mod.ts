import { defineController } from "../running/mod.ts";
import { buildTaintEvictionController, CLIENT_NAME, NAME } from "./controller.ts";

/** Evicts pods from nodes with taints that they do not tolerate, or no longer. Upstream: `pkg/controller/tainteviction`. */
export const TAINT_EVICTION_CONTROLLER = defineController({
  name: NAME,
  clientName: CLIENT_NAME,
  gates: ["SeparateTaintEvictionController"],
  group: "workloads",
  queues: ["noexec_taint_node", "noexec_taint_pod"],
  metrics: ["taint_eviction_controller_pod_deletion_duration_seconds", "taint_eviction_controller_pod_deletions_total"],
  build: buildTaintEvictionController,
});
