/** Who is evicted from tainted devices under upstream's manager and under ours, on a real API server. */
import { RESOURCECLAIMS } from "../../src/api/mod.ts";
import { WITHOUT_POD_COLLECTION } from "../controlplane/manager.ts";
import { DEVICE_TAINT_RULE_SCENARIOS } from "../scenarios/device_taint_rule_scenarios.ts";
import { DEVICE_TAINT_SCENARIOS } from "../scenarios/device_taint_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const GATE = "--feature-gates=DRADeviceTaintRules=true";

parityTest("Pods are evicted from tainted devices under kubeloop as under upstream's manager", async () => {
  const apiserverFlags = [GATE, "--runtime-config=resource.k8s.io/v1beta2=true"];
  await using cluster = await Cluster.start({ nodes: 0, apiserverFlags });
  await assertParity(cluster, {
    area: "device_taints",
    scenarios: [...DEVICE_TAINT_SCENARIOS, ...DEVICE_TAINT_RULE_SCENARIOS],
    resources: [RESOURCECLAIMS],
    // The controller of claims would free those that are reserved for strangers.
    flags: [GATE, "--controllers=-resourceclaim-controller", WITHOUT_POD_COLLECTION],
    parallel: 12,
  });
});
