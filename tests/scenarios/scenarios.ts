/** What a user does with Deployments, what these are made of and where they lie, and what must come of it. */
import { COLLECTION_SCENARIOS, NAMESPACE_SCENARIOS } from "./collection_scenarios.ts";
import { DEPLOYMENT_SCENARIOS } from "./deployment_scenarios.ts";
import { REPLICASET_SCENARIOS } from "./replicaset_scenarios.ts";
import type { Scenario } from "./scenario.ts";

/** All of them. */
export const SCENARIOS: readonly Scenario[] = [
  ...DEPLOYMENT_SCENARIOS,
  ...REPLICASET_SCENARIOS,
  ...COLLECTION_SCENARIOS,
  ...NAMESPACE_SCENARIOS,
];
