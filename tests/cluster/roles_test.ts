/** Aggregated ClusterRoles under upstream's manager and under ours, on a real API server. */
import { ROLE_SCENARIOS } from "../scenarios/role_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const CONTROLLERS = ["clusterrole-aggregation-controller"];

parityTest("Aggregated roles get the same rules under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, { area: "roles", scenarios: ROLE_SCENARIOS, controllers: CONTROLLERS });
});
