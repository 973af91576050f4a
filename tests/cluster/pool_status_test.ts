/** What is answered about pools of devices under upstream's manager and under ours, on a real API server. */
import { POOL_STATUS_SCENARIOS } from "../scenarios/pool_status_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const GATE = "--feature-gates=DRAResourcePoolStatus=true";

parityTest("Questions about pools of devices are answered under kubeloop as under upstream's manager", async () => {
  const apiserverFlags = [GATE, "--runtime-config=resource.k8s.io/v1alpha3=true"];
  await using cluster = await Cluster.start({ nodes: 0, apiserverFlags });
  await assertParity(cluster, {
    area: "pool_status",
    scenarios: POOL_STATUS_SCENARIOS,
    flags: [GATE],
    parallel: 12,
  });
});
