/** Features that are off by default, under upstream's manager and under ours with the same gates. */
import { assertEquals } from "@std/assert";
import { HORIZONTALPODAUTOSCALERS, JOBS, PODGROUPS, PODS, WORKLOADS } from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { ServedMetrics } from "../controlplane/metrics_api.ts";
import { withMetrics } from "../scenarios/autoscaling_kit.ts";
import { GANG_SCENARIOS, isGrouped } from "../scenarios/gang_scenarios.ts";
import { FOREVER, job, running } from "../scenarios/job_kit.ts";
import { SCALE_TO_ZERO_SCENARIOS } from "../scenarios/scale_to_zero_scenarios.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const GATES = "--feature-gates=GenericWorkload=true,WorkloadWithJob=true,HPAScaleToZero=true";
const APISERVER_FLAGS = [GATES, "--runtime-config=scheduling.k8s.io/v1alpha2=true"];

parityTest(
  "Jobs whose pods run all at once, and autoscalers that scale to none, are under kubeloop as under upstream's manager",
  async () => {
    await using cluster = await Cluster.start({ apiserverFlags: APISERVER_FLAGS });
    await using metrics = await ServedMetrics.start(cluster);
    await assertParity(cluster, {
      area: "feature_gates",
      scenarios: [...GANG_SCENARIOS, ...withMetrics(SCALE_TO_ZERO_SCENARIOS, metrics.api)],
      flags: [
        GATES,
        "--horizontal-pod-autoscaler-sync-period=2s",
        "--horizontal-pod-autoscaler-downscale-stabilization=4s",
      ],
      resources: [JOBS, WORKLOADS, PODGROUPS, HORIZONTALPODAUTOSCALERS],
      parallel: 13,
    });
  },
);

clusterTest("A manager that takes over goes on with the groups that the other has made for its Jobs", async () => {
  await using cluster = await Cluster.start({ apiserverFlags: APISERVER_FLAGS });
  const flags = [GATES];
  const turns: readonly ManagerKind[] = ["upstream", "kubeloop", "upstream"];
  let manager = await startManager(cluster.plane, turns[0], { flags });
  const kit = await cluster.namespace("gangs");
  await isGrouped(
    kit,
    await kit.create(JOBS, job("a", { completionMode: "Indexed", completions: 2, parallelism: 2 }, FOREVER)),
  );
  await running(kit, 2);
  const groups = async () => [await kit.list(WORKLOADS), await kit.list(PODGROUPS)];
  const before = await groups();
  for (const [turn, kind] of turns.slice(1).entries()) {
    await manager.process.stop();
    await dropLease(cluster.plane);
    manager = await startManager(cluster.plane, kind, { flags });
    const [pod] = await kit.list(PODS);
    await kit.delete(PODS, pod.metadata!.name!);
    await kit.until(JOBS, "a", "has counted it", ({ status }) => status?.failed === turn + 1);
    await running(kit, 2);
    const named = (await kit.list(PODS)).map(({ spec }) => spec?.schedulingGroup?.podGroupName);
    assertEquals(named, Array(2).fill(before[1][0].metadata?.name), kind);
    assertEquals(await groups(), before, kind);
  }
  await manager.process.stop();
});
