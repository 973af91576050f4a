/** What comes of StatefulSets under upstream's manager and under ours. */
import { CONTROLLERREVISIONS, PERSISTENTVOLUMECLAIMS, STATEFULSETS } from "../../src/api/mod.ts";
import { MAX_UNAVAILABLE_SCENARIOS, STATEFULSET_SCENARIOS } from "../scenarios/statefulset_scenarios.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { assertParity } from "./parity.ts";

clusterTest(
  "StatefulSets with pods, claims, revisions and events are under kubeloop as under upstream's manager",
  async () => {
    await using cluster = await Cluster.start();
    await assertParity(cluster, {
      scenarios: STATEFULSET_SCENARIOS,
      controllers: ["statefulset-controller"],
      resources: [STATEFULSETS, CONTROLLERREVISIONS, PERSISTENTVOLUMECLAIMS],
    });
  },
);

clusterTest("StatefulSets update as many pods at a time as may be unavailable, where the gate is on", async () => {
  const gate = "--feature-gates=MaxUnavailableStatefulSet=true";
  await using cluster = await Cluster.start({ apiserverFlags: [gate] });
  await assertParity(cluster, {
    scenarios: MAX_UNAVAILABLE_SCENARIOS,
    controllers: ["statefulset-controller"],
    flags: [gate],
    resources: [STATEFULSETS, CONTROLLERREVISIONS],
  });
});
