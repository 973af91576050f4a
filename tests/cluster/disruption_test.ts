/** What comes of budgets, and of pods that nobody else will end, under upstream's manager and under ours. */
import {
  CUSTOMRESOURCEDEFINITIONS,
  isConditionTrue,
  JOBS,
  PODDISRUPTIONBUDGETS,
  REPLICATIONCONTROLLERS,
  STATEFULSETS,
} from "../../src/api/mod.ts";
import { eventually } from "../controlplane/process.ts";
import { THING_DEFINITION } from "../scenarios/disruption_kit.ts";
import { DISRUPTION_SCENARIOS } from "../scenarios/disruption_scenarios.ts";
import { BUDGET_FAILURES } from "../scenarios/failure_scenarios.ts";
import { NODE_LOSS_SCENARIOS } from "../scenarios/node_loss_scenarios.ts";
import { POD_GC_SCENARIOS, TERMINATED_POD_SCENARIOS } from "../scenarios/pod_gc_scenarios.ts";
import { SENSELESS_POD_GC_SCENARIOS } from "../scenarios/senseless_policy_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

/** So that the rights of the API server's own roles are shown to suffice. */
const OWN_ACCOUNTS = "--use-service-account-credentials=true";

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
    controllers: ["disruption-controller", "statefulset-controller", "replicationcontroller-controller"],
    resources: [PODDISRUPTIONBUDGETS, STATEFULSETS, REPLICATIONCONTROLLERS],
    flags: [OWN_ACCOUNTS],
  });
});

const POD_GC = ["pod-garbage-collector-controller"];

parityTest(
  "Pods that no kubelet will end, and whose they are, are under kubeloop as under upstream's manager",
  async () => {
    await using cluster = await Cluster.start();
    await assertParity(cluster, {
      area: "pod_garbage",
      beside: () => cluster.beside(), // pods of a lost node are left alone for 40 s, and looked at every 20
      scenarios: [...POD_GC_SCENARIOS, ...NODE_LOSS_SCENARIOS, ...SENSELESS_POD_GC_SCENARIOS],
      controllers: [...POD_GC, "job-controller", "statefulset-controller", "replicationcontroller-controller"],
      resources: [JOBS, STATEFULSETS, REPLICATIONCONTROLLERS],
      flags: [OWN_ACCOUNTS],
    });
  },
);

parityTest("Ended pods that are too many go under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start();
  const flags = ["--terminated-pod-gc-threshold=1", OWN_ACCOUNTS];
  await assertParity(cluster, {
    area: "terminated_pods",
    scenarios: TERMINATED_POD_SCENARIOS,
    controllers: POD_GC,
    flags,
  });
});
