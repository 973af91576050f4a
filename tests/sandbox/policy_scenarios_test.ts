/** The scenarios of admission policies, of PodGroups and of their claims on the embedded API server: the whole manager, no network. */
import { type TestCluster, withTestCluster } from "kubeloop/testing";
import { GROUP_CLAIM_SCENARIOS } from "../scenarios/group_claim_scenarios.ts";
import { Kit } from "../scenarios/kit.ts";
import { PODGROUP_SCENARIOS } from "../scenarios/podgroup_scenarios.ts";
import { LIMIT_DEFINITION, WIDGET_DEFINITION } from "../scenarios/policy_kit.ts";
import { POLICY_SCENARIOS } from "../scenarios/policy_scenarios.ts";

async function kitOf(cluster: TestCluster): Promise<Kit> {
  const namespace = await cluster.namespace("scenario");
  return new Kit({ client: cluster.client, namespace, eventually: cluster.eventually.bind(cluster) });
}

for (const { name, run } of POLICY_SCENARIOS) {
  const manifests = [WIDGET_DEFINITION, LIMIT_DEFINITION];
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster({ manifests }, async (cluster) => await run(await kitOf(cluster))));
}

for (const { name, run } of PODGROUP_SCENARIOS) {
  const flags = ["--feature-gates=GenericWorkload=true"];
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster({ flags, nodes: 0 }, async (cluster) => await run(await kitOf(cluster))));
}

for (const { name, run } of GROUP_CLAIM_SCENARIOS) {
  const flags = ["--feature-gates=GenericWorkload=true,DRAWorkloadResourceClaims=true"];
  Deno.test(`scenario ${name} settles on the embedded API server`, () =>
    withTestCluster({ flags, nodes: 0 }, async (cluster) => await run(await kitOf(cluster))));
}
