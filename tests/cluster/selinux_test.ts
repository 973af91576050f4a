/** What pods that share volumes are told under upstream's manager and under ours, on a real API server. */
import { SELINUX_SCENARIOS } from "../scenarios/selinux_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

parityTest(
  "Pods are told of SELinux labels that exclude each other under kubeloop as under upstream's manager",
  async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    await assertParity(cluster, {
      area: "selinux",
      scenarios: SELINUX_SCENARIOS,
      // Nobody is to say that claims have no volumes.
      controllers: ["selinux-warning-controller", "-persistentvolume-binder-controller"],
      parallel: 12,
    });
  },
);
