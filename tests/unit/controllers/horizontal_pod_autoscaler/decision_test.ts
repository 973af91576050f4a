import { assertEquals } from "@std/assert";
import { IntervalLimiter } from "../../../../src/controllers/horizontal_pod_autoscaler/handlers.ts";
import { hasMetricWithoutPods, precheck } from "../../../../src/controllers/horizontal_pod_autoscaler/sync.ts";
import { AutoscalerHarness, cpu } from "./harness.ts";

/** Whether metrics decide at all, and when an autoscaler is looked at again. */

const kind = (current: number, { min = 2, max = 5, isScaledToZero = false, hasMetricWithoutPods = false } = {}) =>
  precheck({ current, min, max, isScaledToZero, hasMetricWithoutPods }).kind;

Deno.test("precheck() leaves what is out of range to the range, and what is within to the metrics", () => {
  assertEquals([1, 2, 5, 6].map((current) => kind(current)), ["out-of-range", "metrics", "metrics", "out-of-range"]);
  assertEquals(precheck({ current: 6, min: 2, max: 5, isScaledToZero: false, hasMetricWithoutPods: false }), {
    kind: "out-of-range",
    desired: 5,
    reason: "Current number of replicas above Spec.MaxReplicas",
  });
  assertEquals(precheck({ current: 1, min: 2, max: 5, isScaledToZero: false, hasMetricWithoutPods: false }), {
    kind: "out-of-range",
    desired: 2,
    reason: "Current number of replicas below Spec.MinReplicas",
  });
});

Deno.test("precheck() takes none for switched off, unless the autoscaler itself went there and can come back", () => {
  const rows: [given: Parameters<typeof kind>[1], expected: string][] = [
    [{}, "disabled"],
    [{ min: 0, hasMetricWithoutPods: true }, "disabled"],
    [{ min: 0, isScaledToZero: true }, "disabled"],
    [{ min: 0, isScaledToZero: true, hasMetricWithoutPods: true }, "metrics"],
    [{ min: 2, isScaledToZero: true }, "metrics"],
  ];
  for (const [given, expected] of rows) assertEquals(kind(0, given), expected, JSON.stringify(given));
});

Deno.test("hasMetricWithoutPods() looks for a metric of an object or of the outside among all", () => {
  const has = (...types: string[]) => {
    const { autoscaler } = new AutoscalerHarness();
    const metrics = types.map((type) => ({ ...cpu(1), type }));
    return hasMetricWithoutPods({ ...autoscaler, spec: { ...autoscaler.spec, metrics } });
  };
  assertEquals([has("Resource", "Object"), has("External", "Pods")], [true, true]);
  assertEquals([has("Resource", "ContainerResource", "Pods"), has()], [false, false]);
  const { autoscaler } = new AutoscalerHarness();
  assertEquals(hasMetricWithoutPods({ ...autoscaler, spec: { ...autoscaler.spec, metrics: undefined } }), false);
});

Deno.test("IntervalLimiter lets every key wait equally long, whatever happened to it", () => {
  const limiter = new IntervalLimiter(15_000);
  assertEquals([limiter.when(), limiter.when(), limiter.numRequeues()], [15_000, 15_000, 1]);
  limiter.forget();
  assertEquals(limiter.when(), 15_000);
});
