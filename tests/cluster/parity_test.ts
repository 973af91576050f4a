/** The scenarios of the first controllers under upstream's manager and under ours. */
import { SCENARIOS } from "../scenarios/scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

parityTest("kubeloop leaves the same objects and events behind as upstream's manager", async () => {
  await using cluster = await Cluster.start();
  await assertParity(cluster, { area: "deployments", scenarios: SCENARIOS });
});
