import { evictionMetricNames } from "../evictions/mod.ts";
import { defineController } from "../running/mod.ts";
import { buildTaintEvictionController, CLIENT_NAME, METRICS, NAME } from "./controller.ts";

/**
 * Evicts pods from nodes whose taints they do not, or no longer, tolerate. Upstream: `pkg/controller/tainteviction`.
 */
export const TAINT_EVICTION_CONTROLLER = defineController({
  name: NAME,
  clientName: CLIENT_NAME,
  gates: ["SeparateTaintEvictionController"],
  group: "workloads",
  queues: ["noexec_taint_node", "noexec_taint_pod"],
  metrics: Object.values(evictionMetricNames(METRICS.prefix)),
  build: buildTaintEvictionController,
});
