/** Claims of devices that groups of pods share, under upstream's manager and under ours with the same gates. */
import { PODGROUPS, RESOURCECLAIMS } from "../../src/api/mod.ts";
import { WITHOUT_POD_COLLECTION } from "../controlplane/manager.ts";
import { GROUP_CLAIM_SCENARIOS } from "../scenarios/group_claim_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const GATES = "--feature-gates=GenericWorkload=true,DRAWorkloadResourceClaims=true";

parityTest("Claims of devices are shared in groups under kubeloop as under upstream's manager", async () => {
  const apiserverFlags = [GATES, "--runtime-config=scheduling.k8s.io/v1alpha2=true"];
  await using cluster = await Cluster.start({ nodes: 0, apiserverFlags });
  await assertParity(cluster, {
    area: "group_claims",
    scenarios: GROUP_CLAIM_SCENARIOS,
    resources: [RESOURCECLAIMS, PODGROUPS],
    flags: [GATES, WITHOUT_POD_COLLECTION],
  });
});
