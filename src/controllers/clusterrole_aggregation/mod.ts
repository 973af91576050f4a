import { defineController } from "../running/mod.ts";

/** Gives aggregated ClusterRoles the rules of those that they select. Not implemented yet. Upstream: `pkg/controller/clusterroleaggregation`. */
export const CLUSTERROLE_AGGREGATION_CONTROLLER = defineController({
  name: "clusterrole-aggregation-controller",
  aliases: ["clusterrole-aggregation"],
});
