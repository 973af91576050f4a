/** Which ranges nodes get under upstream's manager and under ours, on a real API server. */
import { IPV6_RANGE_SCENARIOS, NODE_IPAM_SCENARIOS, SMALL_RANGE_SCENARIOS } from "../scenarios/node_ipam_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const CONTROLLERS = ["node-ipam-controller"];

parityTest("Nodes get the same ranges under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  // Blocks are taken in turn by all scenarios, and what is left of one is there in the next.
  const common = { controllers: [...CONTROLLERS, "serviceaccount-controller"], parallel: 1 };
  const allocates = "--allocate-node-cidrs";
  await assertParity(cluster, {
    ...common,
    area: "node_ipam",
    scenarios: NODE_IPAM_SCENARIOS,
    flags: [allocates, "--cluster-cidr=10.244.0.0/16,fd00:10:244::/48", "--service-cluster-ip-range=10.244.0.0/20"],
  });
  await assertParity(cluster, {
    ...common,
    area: "node_ipam_small_range",
    scenarios: SMALL_RANGE_SCENARIOS,
    flags: [
      allocates,
      "--cluster-cidr=10.9.0.0/28",
      "--node-cidr-mask-size=30",
      "--service-cluster-ip-range=10.9.0.4/30,fd00:9::/112",
    ],
  });
  await assertParity(cluster, {
    ...common,
    area: "node_ipam_ipv6",
    scenarios: IPV6_RANGE_SCENARIOS,
    flags: [allocates, "--cluster-cidr=fd00:1:2:3::/64", "--node-cidr-mask-size-ipv6=80"],
  });
});
