/** Autoscalers over hours and through failures, on the embedded API server and its clock. */
import { assertEquals } from "@std/assert";
import { DEPLOYMENTS, EVENTS, findCondition, HORIZONTALPODAUTOSCALERS } from "kubeloop/api";
import { startTestCluster, type TestCluster, type TestClusterOptions } from "kubeloop/testing";
import { autoscale, conditionsText, cpu, rollOut, says, settles } from "../scenarios/autoscaling_kit.ts";
import type { Kit } from "../scenarios/kit.ts";
import { kitOf } from "../scenarios/cluster_kit.ts";

const MINUTE_MS = 60_000;
const STEADY = "True ReadyForNewScale, True ValidMetricFound, False DesiredWithinRange";

async function clusterWithKit(options: TestClusterOptions = {}): Promise<{ cluster: TestCluster; kit: Kit }> {
  const cluster = await startTestCluster(options);
  const namespace = await cluster.namespace("scenario");
  return { cluster, kit: kitOf(cluster, namespace) };
}

async function replicas(kit: Kit): Promise<number | undefined> {
  return (await kit.get(DEPLOYMENTS, "a")).spec?.replicas;
}

async function eventsOf(kit: Kit, reason: string): Promise<(string | undefined)[]> {
  const events = await kit.list(EVENTS);
  return events.filter((event) => event.involvedObject?.name === "h" && event.reason === reason)
    .map(({ message, source }) => `${source?.component}: ${message}`);
}

function use(cluster: TestCluster, kit: Kit, amount: string): void {
  cluster.metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: amount } });
}

Deno.test("A new autoscaler scales nothing down before its window is over, one second more and it does", async () => {
  const { cluster, kit } = await clusterWithKit();
  await using _ = cluster;
  use(cluster, kit, "10m");
  await rollOut(kit, 5);
  await autoscale(kit, [cpu(50)], { behavior: { scaleDown: { stabilizationWindowSeconds: 3600 } } });
  await says(kit, "True ScaleDownStabilized, True ValidMetricFound, False DesiredWithinRange");
  await cluster.advance(59 * MINUTE_MS);
  assertEquals(await replicas(kit), 5);
  await cluster.advance(2 * MINUTE_MS);
  assertEquals(await replicas(kit), 2);
  const [event] = await eventsOf(kit, "SuccessfulRescale");
  assertEquals(event, "horizontal-pod-autoscaler: New size: 2; reason: All metrics below target");
});

Deno.test("Load that goes up and down within the window never scales down", async () => {
  const { cluster, kit } = await clusterWithKit();
  await using _ = cluster;
  use(cluster, kit, "50m");
  await rollOut(kit, 4);
  await autoscale(kit, [cpu(50)]);
  for (let hour = 0; hour < 12; hour++) {
    use(cluster, kit, "10m");
    await cluster.advance(4 * MINUTE_MS);
    use(cluster, kit, "50m");
    await cluster.advance(MINUTE_MS);
    assertEquals(await replicas(kit), 4);
  }
  use(cluster, kit, "10m");
  await cluster.advance(6 * MINUTE_MS);
  assertEquals(await replicas(kit), 2);
});

Deno.test("A policy of one pod a minute adds one pod a minute", async () => {
  const { cluster, kit } = await clusterWithKit();
  await using _ = cluster;
  use(cluster, kit, "100m");
  await rollOut(kit, 2);
  const scaleUp = { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] };
  await autoscale(kit, [cpu(10)], { maxReplicas: 30, behavior: { scaleUp } });
  await kit.until(DEPLOYMENTS, "a", "has grown", ({ spec }) => spec?.replicas === 3);
  const counts = [];
  for (let minute = 0; minute < 4; minute++) {
    await cluster.advance(60_000);
    counts.push(await replicas(kit));
  }
  assertEquals(counts, [4, 5, 6, 7]);
});

Deno.test("An autoscaler with nothing to do writes nothing", async () => {
  const { cluster, kit } = await clusterWithKit();
  await using _ = cluster;
  use(cluster, kit, "50m");
  await rollOut(kit, 3);
  await autoscale(kit, [cpu(50)]);
  const before = await settles(kit, 3, STEADY);
  await cluster.advance(60 * MINUTE_MS);
  const after = await kit.get(HORIZONTALPODAUTOSCALERS, "h");
  assertEquals(after.metadata?.resourceVersion, before.metadata?.resourceVersion);
});

Deno.test("A scale that meets a conflict is written again, and any other failure is told", async () => {
  const { cluster, kit } = await clusterWithKit();
  await using _ = cluster;
  use(cluster, kit, "80m");
  await rollOut(kit, 2);
  const scale = { verb: "update", resource: "deployments.apps/scale" } as const;
  const conflicts = cluster.fault({ ...scale, times: 4, status: { code: 409 } });
  await autoscale(kit, [cpu(50)], { maxReplicas: 4 });
  await kit.until(DEPLOYMENTS, "a", "has grown", ({ spec }) => spec?.replicas === 4);
  assertEquals([conflicts.hits, await eventsOf(kit, "FailedRescale")], [4, []]);
  cluster.fault({ ...scale, times: 1, status: { code: 500 } });
  await kit.merge(HORIZONTALPODAUTOSCALERS, "h", { spec: { maxReplicas: 3 } });
  const failed = await kit.until(
    HORIZONTALPODAUTOSCALERS,
    "h",
    "has failed",
    (found) => conditionsText(found).startsWith("False FailedUpdateScale, "),
  );
  assertEquals([failed.status?.currentReplicas, failed.status?.desiredReplicas], [4, 4]);
  await kit.until(DEPLOYMENTS, "a", "has shrunk", ({ spec }) => spec?.replicas === 3);
  const [message] = await eventsOf(kit, "FailedRescale");
  const start =
    "horizontal-pod-autoscaler: New size: 3; reason: Current number of replicas above Spec.MaxReplicas; error: ";
  assertEquals(message?.slice(0, start.length), start);
});

Deno.test("Metrics that cannot be read are told in upstream's words, and scale nothing", async () => {
  const { cluster, kit } = await clusterWithKit();
  await using _ = cluster;
  cluster.metrics.setPodUsage({ namespace: kit.namespace, usage: "none" });
  await rollOut(kit, 3);
  await autoscale(kit, [cpu(50)]);
  const { status } = await says(kit, "True SucceededGetScale, False FailedGetResourceMetric, -");
  const why = "failed to get cpu utilization: unable to get metrics for resource cpu: " +
    "no metrics returned from resource metrics API";
  assertEquals(
    findCondition(status?.conditions, "ScalingActive")?.message,
    `the HPA was unable to compute the replica count: ${why}`,
  );
  await cluster.advance(MINUTE_MS);
  assertEquals(await eventsOf(kit, "FailedGetResourceMetric"), [`horizontal-pod-autoscaler: ${why}`]);
  assertEquals(await eventsOf(kit, "FailedComputeMetricsReplicas"), [
    "horizontal-pod-autoscaler: invalid metrics (1 invalid out of 1), first error is: " +
    `failed to get cpu resource metric value: ${why}`,
  ]);
  assertEquals(await replicas(kit), 3);
});

Deno.test("An autoscaler looks at its target once a sync period, however it fails", async () => {
  const { cluster, kit } = await clusterWithKit({ flags: ["--horizontal-pod-autoscaler-sync-period=30s"] });
  await using _ = cluster;
  await rollOut(kit, 1);
  const reads = cluster.fault({ verb: "get", resource: "deployments.apps/scale", status: { code: 503 } });
  await autoscale(kit, [cpu(50)]);
  await cluster.advance(29_000);
  assertEquals(reads.hits, 0);
  await cluster.advance(10 * MINUTE_MS);
  assertEquals(reads.hits >= 19 && reads.hits <= 21, true, `${reads.hits} reads in ten minutes`);
});
