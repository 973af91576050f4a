/** What comes of pods that nobody else will end, under upstream's manager and under ours. Most of it is waiting. */
import { JOBS, REPLICATIONCONTROLLERS, STATEFULSETS } from "../../src/api/mod.ts";
import { NODE_LOSS_SCENARIOS } from "../scenarios/node_loss_scenarios.ts";
import { POD_GC_SCENARIOS } from "../scenarios/pod_gc_scenarios.ts";
import { SENSELESS_POD_GC_SCENARIOS } from "../scenarios/senseless_policy_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

parityTest(
  "Pods that no kubelet will end, and whose they are, are under kubeloop as under upstream's manager",
  async () => {
    await using cluster = await Cluster.start();
    await assertParity(cluster, {
      area: "pod_garbage",
      beside: () => cluster.beside(), // pods of a lost node are left alone for 40 s, and looked at every 20
      scenarios: [...POD_GC_SCENARIOS, ...NODE_LOSS_SCENARIOS, ...SENSELESS_POD_GC_SCENARIOS],
      resources: [JOBS, STATEFULSETS, REPLICATIONCONTROLLERS],
    });
  },
);
