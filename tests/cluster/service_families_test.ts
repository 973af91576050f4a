/** Services of two families of addresses and of a thousand pods, under upstream's manager and under ours, on a real API server. */
import { PATIENT_WITH_NODES } from "../controlplane/manager.ts";
import { DUAL_STACK_SCENARIOS } from "../scenarios/dual_stack_scenarios.ts";
import { SERVED_CROWD_SCENARIOS } from "../scenarios/served_crowd_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const CONTROLLERS = [
  "endpoints-controller",
  "endpointslice-controller",
  "endpointslice-mirroring-controller",
  "serviceaccount-controller",
];

parityTest("Services of two families are served under kubeloop as under upstream's manager", async () => {
  const apiserverFlags = ["--service-cluster-ip-range=10.96.0.0/16,fd00:96::/112"];
  await using cluster = await Cluster.start({ nodes: 0, apiserverFlags });
  await assertParity(cluster, { area: "families", scenarios: DUAL_STACK_SCENARIOS, controllers: CONTROLLERS });
});

parityTest(
  "Endpoints of more than a thousand pods are truncated under kubeloop as under upstream's manager",
  async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    await assertParity(cluster, {
      area: "served_crowds",
      scenarios: SERVED_CROWD_SCENARIOS,
      // The node of the pods is nobody's.
      flags: PATIENT_WITH_NODES,
      parallel: 1,
    });
  },
);
