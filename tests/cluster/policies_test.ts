/** What is found wrong with admission policies under upstream's manager and under ours, on a real API server. */
import { CUSTOMRESOURCEDEFINITIONS, isConditionTrue } from "../../src/api/mod.ts";
import { eventually } from "../controlplane/process.ts";
import { LIMIT_DEFINITION, WIDGET_DEFINITION } from "../scenarios/policy_kit.ts";
import { POLICY_SCENARIOS } from "../scenarios/policy_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

parityTest("Admission policies are found wrong under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  for (const definition of [WIDGET_DEFINITION, LIMIT_DEFINITION]) {
    await cluster.client.create(CUSTOMRESOURCEDEFINITIONS, definition);
    const { name = "" } = definition.metadata ?? {};
    await eventually(`${name} is served and described`, async () => {
      const { status } = await cluster.client.get(CUSTOMRESOURCEDEFINITIONS, { name });
      if (!isConditionTrue(status?.conditions, "Established")) return false;
      const text = await cluster.client.request<unknown>("GET", "/openapi/v3/apis/policies.example.com/v1");
      return JSON.stringify(text).includes(`"kind":"${definition.spec?.names.kind}"`);
    });
  }
  await assertParity(cluster, {
    area: "policies",
    scenarios: POLICY_SCENARIOS,
    parallel: 4,
  });
});
