/** What becomes of groups that are deleted while in use, under upstream's manager and under ours. */
import { PODGROUPS } from "../../src/api/mod.ts";
import { PODGROUP_SCENARIOS } from "../scenarios/podgroup_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const GATE = "--feature-gates=GenericWorkload=true";

parityTest("PodGroups go with the last of their pods under kubeloop as under upstream's manager", async () => {
  const apiserverFlags = [GATE, "--runtime-config=scheduling.k8s.io/v1alpha2=true"];
  await using cluster = await Cluster.start({ nodes: 0, apiserverFlags });
  await assertParity(cluster, {
    area: "podgroups",
    scenarios: PODGROUP_SCENARIOS,
    resources: [PODGROUPS],
    flags: [GATE],
  });
});
