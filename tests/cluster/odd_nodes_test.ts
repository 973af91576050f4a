/** Nodes that make no sense, under upstream's manager and under ours, on a real API server. */
import { ODD_NODE_SCENARIOS } from "../scenarios/odd_node_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

parityTest("Odd nodes get the same ranges under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, {
    area: "odd_nodes",
    scenarios: ODD_NODE_SCENARIOS,
    // Upstream may take two ranges for a node that somebody else writes at that moment: that is a matter of luck.
    controllers: ["-ttl-controller", "-node-lifecycle-controller"],
    flags: ["--allocate-node-cidrs", "--cluster-cidr=10.244.0.0/16,fd00:10:244::/48"],
    parallel: 1,
  });
});
