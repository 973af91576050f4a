/** Nodes, storage versions, groups of pods and admission policies whose manager is killed at its writes. */
import { NODE_CRASH_FLAGS, NODE_CRASH_SCENARIOS } from "../scenarios/node_crash_scenarios.ts";
import { UPKEEP_CRASH_FLAGS, UPKEEP_CRASH_SCENARIOS } from "../scenarios/upkeep_crash_scenarios.ts";
import { clusterTest } from "./cluster.ts";
import { assertSurvives } from "./survives_crashes.ts";

const APIS = ["internal.apiserver.k8s.io/v1alpha1", "storagemigration.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha2"];

clusterTest("a manager that is killed at its writes of nodes and upkeep ends where one ends that lives", async () => {
  const apiserverFlags = [...UPKEEP_CRASH_FLAGS, `--runtime-config=${APIS.map((api) => `${api}=true`).join()}`];
  // Pods of nodes that were taken away are to stay.
  const controllers = "--controllers=*,-pod-garbage-collector-controller";
  await assertSurvives({
    scenarios: [...NODE_CRASH_SCENARIOS, ...UPKEEP_CRASH_SCENARIOS],
    flags: [...NODE_CRASH_FLAGS, ...UPKEEP_CRASH_FLAGS, controllers],
  }, { nodes: 0, apiserverFlags });
});
