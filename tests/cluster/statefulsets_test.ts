/** What comes of StatefulSets under upstream's manager and under ours. */
import { CONTROLLERREVISIONS, PERSISTENTVOLUMECLAIMS, STATEFULSETS } from "../../src/api/mod.ts";
import { MAX_UNAVAILABLE_SCENARIOS, STATEFULSET_SCENARIOS } from "../scenarios/statefulset_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

parityTest(
  "StatefulSets with pods, claims, revisions and events are under kubeloop as under upstream's manager",
  async () => {
    await using cluster = await Cluster.start();
    await assertParity(cluster, {
      area: "statefulsets",
      scenarios: STATEFULSET_SCENARIOS,
      // How often it says that claims have no volumes is a matter of time.
      flags: ["--controllers=-persistentvolume-binder-controller"],
      resources: [STATEFULSETS, CONTROLLERREVISIONS, PERSISTENTVOLUMECLAIMS],
    });
  },
);

parityTest("StatefulSets update as many pods at a time as may be unavailable, where the gate is on", async () => {
  const gate = "--feature-gates=MaxUnavailableStatefulSet=true";
  await using cluster = await Cluster.start({ apiserverFlags: [gate] });
  await assertParity(cluster, {
    area: "statefulsets_max_unavailable",
    scenarios: MAX_UNAVAILABLE_SCENARIOS,
    flags: [gate],
    resources: [STATEFULSETS, CONTROLLERREVISIONS],
  });
});
