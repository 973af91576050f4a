/** Bootstrap tokens under upstream's manager and under ours, on a real API server. */
import { BOOTSTRAP_SCENARIOS } from "../scenarios/bootstrap_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const CONTROLLERS = ["bootstrap-signer-controller", "token-cleaner-controller"];

parityTest("Bootstrap tokens sign and expire under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, {
    area: "bootstrap-tokens",
    scenarios: BOOTSTRAP_SCENARIOS,
    controllers: CONTROLLERS,
    // There is one `cluster-info`.
    parallel: 1,
  });
});
