/** What comes of budgets under upstream's manager and under ours. */
import {
  CUSTOMRESOURCEDEFINITIONS,
  isConditionTrue,
  PODDISRUPTIONBUDGETS,
  REPLICATIONCONTROLLERS,
  STATEFULSETS,
} from "../../src/api/mod.ts";
import { eventually } from "../controlplane/process.ts";
import { THING_DEFINITION } from "../scenarios/disruption_kit.ts";
import { DISRUPTION_SCENARIOS } from "../scenarios/disruption_scenarios.ts";
import { BUDGET_FAILURES } from "../scenarios/failure_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

parityTest("PodDisruptionBudgets, their pods and events are under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start();
  await cluster.client.create(CUSTOMRESOURCEDEFINITIONS, THING_DEFINITION);
  await eventually("the custom resource is served", async () => {
    const { name = "" } = THING_DEFINITION.metadata ?? {};
    const { status } = await cluster.client.get(CUSTOMRESOURCEDEFINITIONS, { name });
    return isConditionTrue(status?.conditions, "Established");
  });
  await assertParity(cluster, {
    area: "disruption",
    scenarios: [...DISRUPTION_SCENARIOS, ...BUDGET_FAILURES],
    resources: [PODDISRUPTIONBUDGETS, STATEFULSETS, REPLICATIONCONTROLLERS],
  });
});
