/** node-ipam-controller where a cloud-controller-manager hosts it, as upstream's reference program does, beside ours. */
import { withCloud } from "../scenarios/cloud_kit.ts";
import { CLOUD_RANGE_SCENARIOS } from "../scenarios/cloud_range_scenarios.ts";
import { NODE_IPAM_SCENARIOS, SMALL_RANGE_SCENARIOS } from "../scenarios/node_ipam_scenarios.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { CLOUD_FLAGS, CloudCluster } from "./cloud_cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const COMPONENT = "cloud-controller-manager";
const ALLOCATES = "--allocate-node-cidrs=true";
/** Nodes of these scenarios have no machine. */
const ALONE = [ALLOCATES, "--controllers=node-ipam-controller"];

parityTest("Nodes get the same ranges under kubeloop as under upstream's framework, beside a cloud", async () => {
  await using beside = await CloudCluster.start();
  const same = (area: string, scenarios: readonly Scenario[], flags: readonly string[]) =>
    assertParity(beside.cluster, {
      area,
      scenarios,
      component: COMPONENT,
      flags,
      flagsOf: (kind) => beside.flagsOf(kind),
      parallel: 1, // they take from the same ranges
    });
  await same("cloud_ranges_of_machines", withCloud(CLOUD_RANGE_SCENARIOS, beside.cloud), [
    ...CLOUD_FLAGS,
    ALLOCATES,
    "--service-cluster-ip-range=10.244.0.0/20,fd00:96::/112",
  ]);
  await same("cloud_ranges", NODE_IPAM_SCENARIOS, [
    ...ALONE,
    "--cluster-cidr=10.244.0.0/16,fd00:10:244::/48",
    "--service-cluster-ip-range=10.244.0.0/20",
  ]);
  await same("cloud_ranges_small", SMALL_RANGE_SCENARIOS, [
    ...ALONE,
    "--cluster-cidr=10.9.0.0/28",
    "--node-cidr-mask-size=30",
    "--service-cluster-ip-range=10.9.0.4/30,fd00:9::/112",
  ]);
});
