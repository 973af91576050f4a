import { defineController } from "../running/mod.ts";
import { buildDisruptionController, NAME } from "./controller.ts";

/** Computes how many pods of each PodDisruptionBudget may be evicted now. Upstream: `pkg/controller/disruption`. */
export const DISRUPTION_CONTROLLER = defineController({
  name: NAME,
  aliases: ["disruption"],
  group: "workloads",
  queues: ["disruption", "disruption_recheck", "stale_pod_disruption"],
  build: buildDisruptionController,
});
