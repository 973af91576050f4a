/** What comes of autoscalers under upstream's manager and under ours, with metrics behind a real aggregation layer. */
import { assertEquals } from "@std/assert";
import { DEPLOYMENTS, HORIZONTALPODAUTOSCALERS, STATEFULSETS } from "../../src/api/mod.ts";
import { dropLease, type ManagerKind, startManager } from "../controlplane/manager.ts";
import { ServedMetrics } from "../controlplane/metrics_api.ts";
import { autoscale, conditionsText, cpu, rollOut, settles, withMetrics } from "../scenarios/autoscaling_kit.ts";
import { AUTOSCALING_SCENARIOS } from "../scenarios/autoscaling_scenarios.ts";
import { AUTOSCALING_FAILURES } from "../scenarios/failure_scenarios.ts";
import { Cluster, clusterTest } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

/** Minutes become seconds: nobody's clock can be moved here. */
const FLAGS = [
  "--horizontal-pod-autoscaler-sync-period=3s",
  "--horizontal-pod-autoscaler-cpu-initialization-period=1s",
];
const STABILIZATION = "--horizontal-pod-autoscaler-downscale-stabilization";

parityTest(
  "Autoscalers, what they scale and their events are under kubeloop as under upstream's manager",
  async () => {
    await using cluster = await Cluster.start();
    await using metrics = await ServedMetrics.start(cluster);
    await assertParity(cluster, {
      area: "autoscaling",
      scenarios: withMetrics([...AUTOSCALING_SCENARIOS, ...AUTOSCALING_FAILURES], metrics.api),
      flags: [...FLAGS, `${STABILIZATION}=10s`],
      resources: [HORIZONTALPODAUTOSCALERS, STATEFULSETS],
      parallel: 16, // they wait for what is looked at every 3 s
    });
  },
);

clusterTest("A manager that takes over scales nothing down at once that the other has scaled up", async () => {
  await using cluster = await Cluster.start();
  await using metrics = await ServedMetrics.start(cluster);
  const use = (amount: string) => metrics.api.setPodUsage({ namespace: "web", usage: { cpu: amount } });
  const flags = [...FLAGS, `${STABILIZATION}=20s`];
  const start = (kind: ManagerKind) => startManager(cluster.plane, kind, { flags });
  const stop = async ({ process }: Awaited<ReturnType<typeof start>>) => {
    await process.stop();
    await dropLease(cluster.plane);
  };
  let manager = await start("upstream");
  const kit = await cluster.namespace("web");
  use("150m");
  await rollOut(kit, 2);
  await autoscale(kit, [cpu(50)]);
  await settles(kit, 5, "True ReadyForNewScale, True ValidMetricFound, True TooManyReplicas");
  const generation = async () => (await kit.get(DEPLOYMENTS, "a")).metadata?.generation;
  const before = await generation();
  for (const kind of ["kubeloop", "upstream", "kubeloop"] as const) {
    await stop(manager);
    use("10m");
    manager = await start(kind);
    await kit.until(
      HORIZONTALPODAUTOSCALERS,
      "h",
      `is held up by ${kind}`,
      (found) => conditionsText(found).startsWith("True ScaleDownStabilized"),
    );
    assertEquals(await generation(), before, `${kind} has scaled`);
    use("150m");
    await settles(kit, 5, "True ReadyForNewScale, True ValidMetricFound, True TooManyReplicas");
  }
  use("10m");
  await settles(kit, 2, "True ReadyForNewScale, True ValidMetricFound, True TooFewReplicas");
  await stop(manager);
});
