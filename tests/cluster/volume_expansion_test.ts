/** Volumes that are to grow, under upstream's manager and under ours, on a real API server. */
import { PERSISTENTVOLUMECLAIMS } from "../../src/api/mod.ts";
import { EXPANSION_SCENARIOS } from "../scenarios/expansion_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

parityTest("Claims that ask for more are handed over and expanded as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, {
    area: "expansion",
    scenarios: EXPANSION_SCENARIOS,
    resources: [PERSISTENTVOLUMECLAIMS],
  });
});
