/** What comes of ended pods that are too many, under upstream's manager and under ours. Most of it is waiting. */
import { TERMINATED_POD_SCENARIOS } from "../scenarios/pod_gc_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

parityTest("Ended pods that are too many go under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start();
  const flags = ["--terminated-pod-gc-threshold=1"];
  await assertParity(cluster, {
    area: "terminated_pods",
    scenarios: TERMINATED_POD_SCENARIOS,
    flags,
  });
});
