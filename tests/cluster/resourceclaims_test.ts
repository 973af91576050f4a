/** What devices pods get under upstream's manager and under ours, on a real API server. */
import { RESOURCECLAIMS } from "../../src/api/mod.ts";
import { RESOURCECLAIM_SCENARIOS } from "../scenarios/resourceclaim_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

parityTest("Claims of devices are made and freed under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, {
    area: "resourceclaims",
    scenarios: RESOURCECLAIM_SCENARIOS,
    controllers: ["resourceclaim-controller"],
    resources: [RESOURCECLAIMS],
  });
});
