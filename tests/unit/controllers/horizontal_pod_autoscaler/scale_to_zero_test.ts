import { assertEquals } from "@std/assert";
import { metrics } from "./fixtures.ts";
import { AutoscalerHarness } from "./harness.ts";

/** Autoscalers that take their targets to no replicas at all, with the gate HPAScaleToZero. */

Deno.test("syncAutoscaler takes back what the gate HPAScaleToZero said, once that is off", async () => {
  const conditions = [{ type: "ScaledToZero", status: "True", reason: "ScaledToZero", message: "" }];
  for (const replicas of [0, 3]) {
    const harness = new AutoscalerHarness();
    harness.autoscaler = { ...harness.autoscaler, status: { desiredReplicas: 0, conditions } };
    harness.showReplicas(replicas);
    harness.resource = () => metrics(300, 500, 700);
    await harness.sync();
    assertEquals(harness.condition("ScaledToZero"), "-", `${replicas} replicas`);
  }
  const on = new AutoscalerHarness();
  on.context = { ...on.context, settings: { ...on.context.settings, scalesToZero: true } };
  on.autoscaler = {
    ...on.autoscaler,
    spec: { ...on.autoscaler.spec, minReplicas: 0 },
    status: { desiredReplicas: 0, conditions },
  };
  on.showReplicas(0);
  await on.sync();
  assertEquals(on.condition("ScaledToZero").split(" ")[0], "True");
});

Deno.test("With the gate HPAScaleToZero an autoscaler goes to none, comes back, and leaves alone what others switched off", async () => {
  const harness = new AutoscalerHarness();
  harness.context = { ...harness.context, settings: { ...harness.context.settings, scalesToZero: true } };
  const external = { metric: { name: "depth" }, target: { type: "AverageValue", averageValue: "10" } };
  harness.spec({ minReplicas: 0, metrics: [{ type: "External", external }] });
  harness.external = () => [0n];
  await harness.sync();
  await harness.world.clock.advance(300_001);
  assertEquals(await harness.sync(), 0);
  assertEquals(
    harness.condition("ScaledToZero"),
    "True ScaledToZero the HPA controller scaled the workload to zero",
  );
  harness.showReplicas(0);
  harness.external = () => [25_000n];
  assertEquals(await harness.sync(), 3);
  assertEquals(
    harness.condition("ScaledToZero"),
    "False NotScaledToZero the HPA controller did not scale the workload to zero",
  );
  const asked = harness.asked;
  harness.showReplicas(0);
  assertEquals(await harness.sync(), 0);
  assertEquals([harness.asked, harness.condition("ScalingActive").split(" ")[1]], [asked, "ScalingDisabled"]);
});

Deno.test("With the gate HPAScaleToZero a raised minimum brings back what was scaled to none", async () => {
  const harness = new AutoscalerHarness();
  harness.context = { ...harness.context, settings: { ...harness.context.settings, scalesToZero: true } };
  const external = { metric: { name: "depth" }, target: { type: "Value", value: "10" } };
  harness.spec({ minReplicas: 2, metrics: [{ type: "External", external }] });
  harness.external = () => [1n];
  harness.showReplicas(0);
  const condition = { type: "ScaledToZero", status: "True", reason: "ScaledToZero", message: "" };
  harness.autoscaler = { ...harness.autoscaler, status: { desiredReplicas: 0, conditions: [condition] } };
  assertEquals(await harness.sync(), 2);
});
