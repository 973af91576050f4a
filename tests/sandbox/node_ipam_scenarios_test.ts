/** The scenarios of nodes' ranges on the embedded API server: the whole manager, no network, no waiting. */
import { withTestCluster } from "kubeloop/testing";
import { IPV6_RANGE_SCENARIOS, NODE_IPAM_SCENARIOS, SMALL_RANGE_SCENARIOS } from "../scenarios/node_ipam_scenarios.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

const AREAS: readonly [readonly Scenario[], readonly string[]][] = [
  [NODE_IPAM_SCENARIOS, [
    "--cluster-cidr=10.244.0.0/16,fd00:10:244::/48",
    "--service-cluster-ip-range=10.244.0.0/20",
  ]],
  [SMALL_RANGE_SCENARIOS, [
    "--cluster-cidr=10.9.0.0/28",
    "--node-cidr-mask-size=30",
    "--service-cluster-ip-range=10.9.0.4/30,fd00:9::/112",
  ]],
  [IPV6_RANGE_SCENARIOS, ["--cluster-cidr=fd00:1:2:3::/64", "--node-cidr-mask-size-ipv6=80"]],
];

for (const [scenarios, flags] of AREAS) {
  for (const { name, run } of scenarios) {
    Deno.test(`scenario ${name} settles on the embedded API server`, () =>
      withTestCluster({ nodes: 0, flags: ["--allocate-node-cidrs", ...flags] }, async (cluster) => {
        const namespace = await cluster.namespace("scenario");
        await run(kitOf(cluster, namespace));
      }));
  }
}
