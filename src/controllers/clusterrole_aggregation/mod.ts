import { defineController } from "../running/mod.ts";
import { buildRoleAggregator, NAME, QUEUE } from "./controller.ts";

/**
 * Gives aggregated ClusterRoles the rules of those that they select. Upstream: `pkg/controller/clusterroleaggregation`.
 */
export const CLUSTERROLE_AGGREGATION_CONTROLLER = defineController({
  name: NAME,
  aliases: ["clusterrole-aggregation"],
  queues: [QUEUE],
  build: buildRoleAggregator,
});
