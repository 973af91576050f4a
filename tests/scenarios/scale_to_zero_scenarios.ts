/** What autoscalers do that may scale to no replica, where the gate `HPAScaleToZero` is on. */
import { DEPLOYMENTS, findCondition, HORIZONTALPODAUTOSCALERS, type MetricSpec, SERVICES } from "../../src/api/mod.ts";
import { autoscale, type AutoscalingScenario, average, cpu, rollOut, says, value } from "./autoscaling_kit.ts";
import type { Kit } from "./kit.ts";

const DEPTH: MetricSpec = { type: "External", external: { metric: { name: "depth" }, target: average("10") } };
const HITS: MetricSpec = {
  type: "Object",
  object: {
    describedObject: { apiVersion: "v1", kind: "Service", name: "s" },
    metric: { name: "hits" },
    target: value("15"),
  },
};

/** Waits until there are so many replicas, and the autoscaler says whether it has taken the last one away itself. */
async function rests(kit: Kit, replicas: number, scaledToZero: "True" | "False"): Promise<void> {
  await kit.until(
    HORIZONTALPODAUTOSCALERS,
    "h",
    `rests at ${replicas}, ScaledToZero is ${scaledToZero}`,
    ({ status }) =>
      (status?.currentReplicas ?? 0) === replicas && (status?.desiredReplicas ?? 0) === replicas &&
      findCondition(status?.conditions, "AbleToScale")?.reason === "ReadyForNewScale" &&
      findCondition(status?.conditions, "ScaledToZero")?.status === scaledToZero,
  );
  await kit.rolledOut("a");
}

export const SCALE_TO_ZERO_SCENARIOS: readonly AutoscalingScenario[] = [
  {
    name: "hpa-zero-and-back-by-external-metric",
    run: async (kit, metrics) => {
      const series = { namespace: kit.namespace, metric: "depth", labels: { queue: "mail" } };
      metrics.setExternalMetric({ ...series, value: "0" });
      await rollOut(kit, 2);
      await autoscale(kit, [DEPTH], { minReplicas: 0 });
      await rests(kit, 0, "True");
      metrics.setExternalMetric({ ...series, value: "21" });
      await rests(kit, 3, "False");
    },
  },
  {
    name: "hpa-zero-and-back-by-object-metric",
    run: async (kit, metrics) => {
      const object = { namespace: kit.namespace, name: "s", metric: "hits" };
      metrics.setObjectMetric(SERVICES, { ...object, value: "0" });
      await kit.create(SERVICES, {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "s" },
        spec: { ports: [{ port: 80 }] },
      });
      await rollOut(kit, 2);
      await autoscale(kit, [HITS], { minReplicas: 0 });
      await rests(kit, 0, "True");
      metrics.setObjectMetric(SERVICES, { ...object, value: "29" });
      await rests(kit, 5, "False"); // for it stays, however many share it
    },
  },
  {
    name: "hpa-zero-with-a-raised-minimum",
    run: async (kit, metrics) => {
      metrics.setExternalMetric({ namespace: kit.namespace, metric: "depth", labels: {}, value: "0" });
      await rollOut(kit, 1);
      await autoscale(kit, [DEPTH], { minReplicas: 0 });
      await rests(kit, 0, "True");
      await kit.merge(HORIZONTALPODAUTOSCALERS, "h", { spec: { minReplicas: 2 } });
      await rests(kit, 2, "False");
    },
  },
  {
    name: "hpa-zero-by-hand",
    run: async (kit, metrics) => {
      metrics.setExternalMetric({ namespace: kit.namespace, metric: "depth", labels: {}, value: "21" });
      await rollOut(kit, 3);
      await autoscale(kit, [DEPTH], { minReplicas: 0 });
      await kit.until(
        HORIZONTALPODAUTOSCALERS,
        "h",
        "is content",
        ({ status }) => findCondition(status?.conditions, "AbleToScale")?.reason === "ReadyForNewScale",
      );
      await kit.merge(DEPLOYMENTS, "a", { spec: { replicas: 0 } });
      await says(kit, "True SucceededGetScale, False ScalingDisabled, False DesiredWithinRange");
      await kit.rolledOut("a");
    },
  },
  {
    name: "hpa-zero-and-then-only-pods-to-look-at",
    run: async (kit, metrics) => {
      metrics.setExternalMetric({ namespace: kit.namespace, metric: "depth", labels: {}, value: "0" });
      await rollOut(kit, 1);
      await autoscale(kit, [DEPTH], { minReplicas: 0 });
      await rests(kit, 0, "True");
      await kit.merge(HORIZONTALPODAUTOSCALERS, "h", { spec: { minReplicas: 1, metrics: [cpu(50)] } });
      await kit.until(
        HORIZONTALPODAUTOSCALERS,
        "h",
        "has no metric any more",
        ({ status }) => findCondition(status?.conditions, "ScalingActive")?.status === "False",
      );
    },
  },
];
