/** The scenarios of admission policies, of PodGroups and of their claims on the embedded API server: the whole manager, no network. */
import { withTestCluster } from "kubeloop/testing";
import { GROUP_CLAIM_SCENARIOS } from "../scenarios/group_claim_scenarios.ts";
import { PODGROUP_SCENARIOS } from "../scenarios/podgroup_scenarios.ts";
import { LIMIT_DEFINITION, WIDGET_DEFINITION } from "../scenarios/policy_kit.ts";
import { POLICY_SCENARIOS } from "../scenarios/policy_scenarios.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

for (const { name, run } of POLICY_SCENARIOS) {
  const manifests = [WIDGET_DEFINITION, LIMIT_DEFINITION];
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster({ manifests }, async (cluster) => await run(kitOf(cluster, await cluster.namespace("scenario")))));
}

for (const { name, run } of PODGROUP_SCENARIOS) {
  const flags = ["--feature-gates=GenericWorkload=true"];
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster(
      { flags, nodes: 0 },
      async (cluster) => await run(kitOf(cluster, await cluster.namespace("scenario"))),
    ));
}

for (const { name, run } of GROUP_CLAIM_SCENARIOS) {
  const flags = ["--feature-gates=GenericWorkload=true,DRAWorkloadResourceClaims=true"];
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster(
      { flags, nodes: 0 },
      async (cluster) => await run(kitOf(cluster, await cluster.namespace("scenario"))),
    ));
}
