import { assertEquals, assertRejects } from "@std/assert";
import type { MetricSpec, MetricTarget } from "../../../../src/api/mod.ts";
import { syncAutoscaler } from "../../../../src/controllers/horizontal_pod_autoscaler/sync.ts";
import { stepsOf } from "../../base/steps.ts";
import { metrics, pods } from "./fixtures.ts";
import { AutoscalerHarness, cpu } from "./harness.ts";

/** What a sync of an autoscaler reads, writes and tells, on fakes. */

const failing = () => {
  throw new Error("the server could not find the requested resource (get pods.metrics.k8s.io)");
};
const QPS = { type: "Pods", pods: { metric: { name: "qps" }, target: { type: "AverageValue", averageValue: "15" } } };
const able = (what: string) => `True ${what}`;

Deno.test("syncAutoscaler scales up, tells why, and looks again after a sync period", async () => {
  const harness = new AutoscalerHarness();
  harness.resource = () => metrics(300, 500, 700);
  assertEquals(await harness.sync(), 5);
  assertEquals(harness.writes, ["put deployments/scale 5 at 1", "put status"]);
  assertEquals(harness.recorder.lines, [
    "Normal SuccessfulRescale a/h New size: 5; reason: cpu resource utilization (percentage of request) above target",
  ]);
  const { status } = harness.autoscaler;
  assertEquals([status?.currentReplicas, status?.desiredReplicas, status?.lastScaleTime], [
    3,
    5,
    "2026-01-01T00:00:00Z",
  ]);
  assertEquals(status?.currentMetrics, [
    { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 50, averageValue: "500m" } } },
  ]);
  assertEquals(
    harness.condition("AbleToScale"),
    able("SucceededRescale the HPA controller was able to update the target scale to 5"),
  );
  assertEquals(harness.queued, ["a/h"]);
  assertEquals(harness.reconciled("scale_up", "none"), 1);
});

Deno.test("StatusDraft: it is a change only if a quantity has another value, or a time is another one: syncAutoscaler writes no status that is the same", async () => {
  const harness = new AutoscalerHarness();
  const target = { type: "AverageValue", averageValue: "1Gi" };
  harness.spec({ metrics: [{ type: "Resource", resource: { name: "memory", target } }] });
  harness.resource = () => metrics(...Array(3).fill(2 ** 30 * 1000));
  await harness.sync();
  const [metric] = harness.autoscaler.status!.currentMetrics!;
  assertEquals(metric.resource?.current, { averageValue: "1Gi" });
  harness.autoscaler.status!.currentMetrics = [
    { type: "Resource", resource: { name: "memory", current: { averageValue: "1073741824" } } },
  ];
  await harness.sync();
  assertEquals(harness.writes, ["put status"]);
  await harness.sync();
  assertEquals(harness.writes, ["put status"], "all as it was, to the letter");
  harness.resource = () => metrics(...Array(3).fill(2 ** 30 * 1000 + 1000));
  await harness.sync();
  assertEquals(harness.writes, ["put status", "put status"]);
});

Deno.test("syncAutoscaler goes by the first of metrics that ask for as many, and by them although others are invalid", async () => {
  const harness = new AutoscalerHarness();
  harness.spec({ metrics: [cpu(30), QPS] });
  harness.resource = () => metrics(500, 500, 500);
  harness.podsMetric = () => metrics(25_000, 25_000, 25_000);
  assertEquals(await harness.sync(), 5);
  assertEquals(harness.condition("ScalingActive").endsWith("cpu resource utilization (percentage of request)"), true);

  const partial = new AutoscalerHarness();
  partial.spec({ metrics: [cpu(30), QPS] });
  partial.resource = failing;
  partial.podsMetric = () => metrics(15_000, 15_000, 15_000);
  await assertRejects(() => partial.sync(), Error, "invalid metrics (1 invalid out of 2), first error is: ");
  assertEquals(partial.condition("ScalingActive").split(" ").slice(0, 2), ["True", "ValidMetricFound"]);
  assertEquals([partial.writes, partial.reconciled("none", "internal")], [["put status"], 1]);
});

Deno.test("syncAutoscaler measures one container of each pod", async () => {
  const harness = new AutoscalerHarness();
  const source = (target: MetricTarget): MetricSpec => ({
    type: "ContainerResource",
    containerResource: { name: "cpu", container: "c0", target },
  });
  const use = (target: MetricTarget) => harness.spec({ metrics: [source(target)] });
  harness.resource = () => metrics(500, 500, 500);
  use({ type: "Utilization", averageUtilization: 30 });
  assertEquals(await harness.sync(), 5);
  const what = "cpu container resource utilization (percentage of request)";
  assertEquals(harness.condition("ScalingActive").endsWith(` ${what}`), true);
  assertEquals(harness.autoscaler.status?.currentMetrics, [{
    type: "ContainerResource",
    containerResource: { name: "cpu", container: "c0", current: { averageUtilization: 50, averageValue: "500m" } },
  }]);
  harness.resource = failing;
  const of = "failed to get c0 container metric value: ";
  await assertRejects(() => harness.sync(), Error, `${of}failed to get cpu utilization: unable to get metrics for`);
  assertEquals(harness.condition("ScalingActive").split(" ").slice(0, 2), [
    "False",
    "FailedGetContainerResourceMetric",
  ]);
  use({ type: "Value" });
  const missing = "neither an average utilization target nor an average value (usage) target was set";
  await assertRejects(() => harness.sync(), Error, `${of}invalid resource metric source: ${missing}`);
});

Deno.test("syncAutoscaler reports metrics without a target, or with a selector that cannot be read", async () => {
  const harness = new AutoscalerHarness();
  const describedObject = { apiVersion: "v1", kind: "Service", name: "s" };
  const selector = { matchExpressions: [{ key: "k", operator: "Like" }] };
  const neither = "neither a value target nor an average value target was set";
  const rows: [object, string][] = [
    [
      { type: "Object", object: { describedObject, metric: { name: "hits" }, target: { type: "Value" } } },
      `failed to get object metric value: invalid object metric source: ${neither}`,
    ],
    [
      { type: "External", external: { metric: { name: "hits" }, target: { type: "Value" } } },
      `failed to get hits external metric value: invalid external metric source: ${neither}`,
    ],
    [
      {
        type: "Object",
        object: {
          describedObject,
          metric: { name: "hits", selector },
          target: { type: "AverageValue", averageValue: "1" },
        },
      },
      'failed to get object metric value: "Like" is not a valid label selector operator',
    ],
  ];
  for (const [metric, message] of rows) {
    harness.spec({ metrics: [metric as typeof QPS] });
    await assertRejects(() => harness.sync(), Error, `(1 invalid out of 1), first error is: ${message}`);
  }
});

Deno.test("syncAutoscaler takes a metric of the outside below zero for itself, or, shared among pods, for the most there is", async () => {
  const rows: [target: MetricTarget, replicas: number][] = [
    [{ type: "Value", value: "10" }, 3],
    [{ type: "AverageValue", averageValue: "10" }, 6],
  ];
  for (const [target, replicas] of rows) {
    const harness = new AutoscalerHarness();
    harness.spec({ metrics: [{ type: "External", external: { metric: { name: "depth" }, target } }] });
    harness.external = () => [-5_000n, 7_000n];
    assertEquals(await harness.sync(), replicas);
  }
});

Deno.test("syncAutoscaler does not scale down what it has just seen", async () => {
  const harness = new AutoscalerHarness();
  harness.showReplicas(5);
  harness.resource = () => metrics(10, 10, 10, 10, 10);
  assertEquals(await harness.sync(), 5);
  assertEquals(harness.condition("AbleToScale").split(" ")[1], "ScaleDownStabilized");
  await harness.world.clock.advance(300_001);
  assertEquals(await harness.sync(), 2);
});

Deno.test("syncAutoscaler asks for no metrics where the number of replicas is out of range, or none", async () => {
  const harness = new AutoscalerHarness();
  harness.showReplicas(10);
  assertEquals(await harness.sync(), 6);
  harness.showReplicas(1);
  assertEquals(await harness.sync(), 2);
  harness.showReplicas(0);
  assertEquals(await harness.sync(), 0);
  assertEquals([harness.asked, harness.autoscaler.status?.currentMetrics], [0, undefined]);
  assertEquals(harness.recorder.lines, [
    "Normal SuccessfulRescale a/h New size: 6; reason: Current number of replicas above Spec.MaxReplicas",
    "Normal SuccessfulRescale a/h New size: 2; reason: Current number of replicas below Spec.MinReplicas",
  ]);
  assertEquals(
    harness.condition("ScalingActive"),
    "False ScalingDisabled scaling is disabled since the replica count of the target is zero",
  );
});

Deno.test("syncAutoscaler tells which metric failed, and scales nothing", async () => {
  const harness = new AutoscalerHarness();
  harness.resource = failing;
  const inner = "failed to get cpu utilization: unable to get metrics for resource cpu: " +
    "the server could not find the requested resource (get pods.metrics.k8s.io)";
  const all = `invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: ${inner}`;
  await assertRejects(
    () => harness.sync(),
    Error,
    `failed to compute desired number of replicas based on listed metrics for Deployment/a/d: ${all}`,
  );
  assertEquals(harness.recorder.lines, [
    `Warning FailedGetResourceMetric a/h ${inner}`,
    `Warning FailedComputeMetricsReplicas a/h ${all}`,
  ]);
  assertEquals(
    harness.condition("ScalingActive"),
    `False FailedGetResourceMetric the HPA was unable to compute the replica count: ${inner}`,
  );
  assertEquals(harness.autoscaler.status?.currentMetrics, [{ type: "" }]);
  assertEquals([harness.writes, harness.queued, harness.reconciled("none", "internal")], [["put status"], [], 1]);
});

Deno.test("syncAutoscaler scales up by what it knows, but never down", async () => {
  const harness = new AutoscalerHarness();
  harness.spec({ metrics: [QPS, cpu(30)] });
  harness.podsMetric = failing;
  harness.resource = () => metrics(300, 500, 700);
  await assertRejects(() => harness.sync(), Error, "invalid metrics (1 invalid out of 2), first error is: ");
  assertEquals(harness.scale.spec?.replicas, 5);
  assertEquals(harness.reconciled("scale_up", "internal"), 1);
  assertEquals(harness.autoscaler.status?.currentMetrics?.map(({ type }) => type), ["", "Resource"]);
  harness.showReplicas(5);
  harness.resource = () => metrics(10, 10, 10, 10, 10);
  await assertRejects(() => harness.sync());
  assertEquals(harness.condition("ScalingActive").split(" ").slice(0, 2), ["False", "FailedGetPodsMetric"]);
});

Deno.test("syncAutoscaler forgets an autoscaler that is gone", async () => {
  const harness = new AutoscalerHarness();
  harness.context.histories.set("a/gone", { recommendations: [], scaleUps: [], scaleDowns: [] });
  await syncAutoscaler("a/gone", harness.context);
  assertEquals([harness.context.histories.size, harness.queued], [0, []]);
});

Deno.test("syncAutoscaler takes its own tolerance only with the gate HPAConfigurableTolerance", async () => {
  const harness = new AutoscalerHarness();
  harness.spec({ behavior: { scaleUp: { tolerance: "2" } } });
  harness.resource = () => metrics(500, 500, 500);
  assertEquals(await harness.sync(), 3);
  harness.context = { ...harness.context, settings: { ...harness.context.settings, hasOwnTolerance: false } };
  assertEquals(await harness.sync(), 5);
});

Deno.test("syncAutoscaler names metrics of objects and of the outside as upstream does", async () => {
  const harness = new AutoscalerHarness();
  const describedObject = { apiVersion: "v1", kind: "Service", name: "s" };
  const metric = { name: "hits", selector: { matchLabels: { k: "v" } } };
  const selector =
    "&LabelSelector{MatchLabels:map[string]string{k: v,},MatchExpressions:[]LabelSelectorRequirement{},}";
  const failures: [object, string][] = [
    [
      { type: "Object", object: { describedObject, metric, target: { type: "Value", value: "1" } } },
      "failed to get object metric value: unable to get metric hits: Service on a s/x",
    ],
    [
      { type: "Object", object: { describedObject, metric, target: { type: "AverageValue", averageValue: "1" } } },
      "failed to get object metric value: failed to get hits object metric: unable to get metric hits: Service on a s/x",
    ],
    [
      { type: "External", external: { metric, target: { type: "Value", value: "1" } } },
      "failed to get hits external metric value: failed to get external metric hits: " +
      `unable to get external metric a/hits/${selector}: x`,
    ],
    [
      { type: "External", external: { metric: { name: "hits" }, target: { type: "AverageValue", averageValue: "1" } } },
      "failed to get hits external metric value: failed to get hits external metric: " +
      "unable to get external metric a/hits/nil: x",
    ],
    [{ type: "Other" }, 'unknown metric source type "Other"'],
  ];
  harness.object = harness.external = () => {
    throw new Error("x");
  };
  for (const [spec, message] of failures) {
    harness.spec({ metrics: [spec as typeof QPS] });
    await assertRejects(() => harness.sync(), Error, `first error is: ${message}`);
  }
  harness.external = () => [36_000n];
  harness.spec({
    metrics: [{ type: "External", external: { metric, target: { type: "AverageValue", averageValue: "10" } } }],
  });
  assertEquals(await harness.sync(), 4);
  assertEquals(
    harness.condition("ScalingActive"),
    "True ValidMetricFound the HPA was able to successfully calculate a replica count from " +
      `external metric hits(${selector})`,
  );
});

Deno.test("The autoscaler's handler queues after a sync period, and counts autoscalers", () => {
  const harness = new AutoscalerHarness();
  const { handler, autoscaler } = harness;
  const other = { ...autoscaler, metadata: { namespace: "a", name: "i" } };
  handler.onAdd(other, false);
  handler.onUpdate(other, other);
  assertEquals([harness.queued, harness.selectors.size], [["a/i", "a/i"], 2]);
  handler.onDelete(other);
  assertEquals([harness.selectors.size, stepsOf(harness.selectors.selecting("a", pods(1))).result], [1, []]);
});

Deno.test("AutoscalerMetrics serves what upstream's does", async () => {
  const harness = new AutoscalerHarness();
  harness.resource = () => metrics(300, 500, 700);
  await harness.sync();
  const prefix = "horizontal_pod_autoscaler_controller_";
  const lines = harness.registry.render().split("\n").filter((line) => line.startsWith(prefix));
  const served = lines.map((line) => line.slice(prefix.length)).filter((line) => !/_(bucket|sum)\b/.test(line));
  assertEquals(served.sort(), [
    'desired_replicas{namespace="a",hpa_name="h"} 5',
    'metric_computation_duration_seconds_count{action="scale_up",error="none",metric_type="Resource"} 1',
    'metric_computation_total{action="scale_up",error="none",metric_type="Resource"} 1',
    "num_horizontal_pod_autoscalers 1",
    'reconciliation_duration_seconds_count{action="scale_up",error="none"} 1',
    'reconciliations_total{action="scale_up",error="none"} 1',
  ]);
});
