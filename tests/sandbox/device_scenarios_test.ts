/** The scenarios of tainted devices and their pools on the embedded API server: the whole manager, no network, no waiting. */
import { withTestCluster } from "kubeloop/testing";
import { DEVICE_TAINT_RULE_SCENARIOS } from "../scenarios/device_taint_rule_scenarios.ts";
import { DEVICE_TAINT_SCENARIOS } from "../scenarios/device_taint_scenarios.ts";
import { POOL_STATUS_SCENARIOS } from "../scenarios/pool_status_scenarios.ts";
import { SELINUX_SCENARIOS } from "../scenarios/selinux_scenarios.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

/** Those that collect pods from nodes that there are not would be faster. */
const CONTROLLERS = [
  "device-taint-eviction-controller",
  "resourcepoolstatusrequest-controller",
  "selinux-warning-controller",
  "namespace-controller",
  "serviceaccount-controller",
];
const flags = [
  "--feature-gates=DRADeviceTaintRules=true,DRAResourcePoolStatus=true",
  `--controllers=${CONTROLLERS}`,
];

for (
  const { name, run } of [
    ...DEVICE_TAINT_SCENARIOS,
    ...DEVICE_TAINT_RULE_SCENARIOS,
    ...POOL_STATUS_SCENARIOS,
    ...SELINUX_SCENARIOS,
  ]
) {
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster({ nodes: 0, flags }, async (cluster) => {
      const namespace = await cluster.namespace("scenario");
      await run(kitOf(cluster, namespace));
    }));
}
