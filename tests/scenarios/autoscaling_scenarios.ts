/** What a user does with autoscalers and what must come of it, on any server and under either manager. */
import {
  HORIZONTALPODAUTOSCALERS,
  type HPAScalingRules,
  type MetricSpec,
  type MetricTarget,
  PODS,
  SERVICES,
  STATEFULSETS,
} from "../../src/api/mod.ts";
import { autoscale, type AutoscalingScenario, average, cpu, rollOut, says, settles, value } from "./autoscaling_kit.ts";
import type { Kit } from "./kit.ts";
import { setRolledOut, statefulSet } from "./set_kit.ts";

const READY = "True ReadyForNewScale";
const VALID = "True ValidMetricFound";
const IN_RANGE = "False DesiredWithinRange";
const TOO_MANY = "True TooManyReplicas";
const TOO_FEW = "True TooFewReplicas";
const READ = "True SucceededGetScale";

const pods = (metric: string, target: MetricTarget): MetricSpec => ({
  type: "Pods",
  pods: { metric: { name: metric }, target },
});
const ofService = (target: MetricTarget): MetricSpec => ({
  type: "Object",
  object: { describedObject: { apiVersion: "v1", kind: "Service", name: "s" }, metric: { name: "hits" }, target },
});
const external = (target: MetricTarget, queue?: string): MetricSpec => {
  const selector = queue ? { matchLabels: { queue } } : undefined;
  return { type: "External", external: { metric: { name: "depth", selector }, target } };
};

const FROM_PODS: readonly AutoscalingScenario[] = [
  {
    name: "hpa-cpu-up",
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: "150m" } });
      await rollOut(kit, 2);
      await autoscale(kit, [cpu(50)]);
      await settles(kit, 5, `${READY}, ${VALID}, ${TOO_MANY}`);
    },
  },
  {
    name: "hpa-cpu-down",
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: "10m" } });
      await rollOut(kit, 4);
      await autoscale(kit, [cpu(50)]);
      await settles(kit, 2, `${READY}, ${VALID}, ${TOO_FEW}`);
    },
  },
  {
    name: "hpa-cpu-steady",
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: "54m" } });
      await rollOut(kit, 3);
      await autoscale(kit, [cpu(50)]);
      await settles(kit, 3, `${READY}, ${VALID}, ${IN_RANGE}`);
    },
  },
  {
    name: "hpa-own-tolerance",
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: "74m" } });
      await rollOut(kit, 3);
      await autoscale(kit, [cpu(50)], { behavior: { scaleUp: { tolerance: "0.5" } } });
      await settles(kit, 3, `${READY}, ${VALID}, ${IN_RANGE}`);
    },
  },
  {
    name: "hpa-memory-average",
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: { memory: "48Mi" } });
      await rollOut(kit, 3);
      const target = average("32Mi");
      await autoscale(kit, [{ type: "Resource", resource: { name: "memory", target } }]);
      await settles(kit, 5, `${READY}, ${VALID}, ${TOO_MANY}`);
    },
  },
  {
    name: "hpa-container",
    run: async (kit, metrics) => {
      const { namespace } = kit;
      metrics.setPodUsage({ namespace, container: "c", usage: { cpu: "50m" } });
      metrics.setPodUsage({ namespace, container: "log", usage: { cpu: "500m" } });
      await rollOut(kit, 3, ["c", "log"]);
      const target = { type: "Utilization", averageUtilization: 50 };
      await autoscale(kit, [{ type: "ContainerResource", containerResource: { name: "cpu", container: "c", target } }]);
      await settles(kit, 3, `${READY}, ${VALID}, ${IN_RANGE}`);
    },
  },
  {
    name: "hpa-no-such-container",
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: "50m" } });
      await rollOut(kit, 2);
      const target = { type: "Utilization", averageUtilization: 50 };
      const containerResource = { name: "cpu", container: "other", target };
      await autoscale(kit, [{ type: "ContainerResource", containerResource }]);
      await says(kit, `${READ}, False FailedGetContainerResourceMetric, -`);
    },
  },
  {
    name: "hpa-pods-metric",
    run: async (kit, metrics) => {
      metrics.setObjectMetric(PODS, { namespace: kit.namespace, metric: "qps", value: "20" });
      await rollOut(kit, 3);
      await autoscale(kit, [pods("qps", average("15"))]);
      await settles(kit, 5, `${READY}, ${VALID}, ${TOO_MANY}`);
    },
  },
  {
    name: "hpa-behaviour",
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: "150m" } });
      await rollOut(kit, 2);
      const scaleUp: HPAScalingRules = { policies: [{ type: "Pods", value: 1, periodSeconds: 1800 }] };
      await autoscale(kit, [cpu(50)], { behavior: { scaleUp } });
      await settles(kit, 3, `${READY}, ${VALID}, True ScaleUpLimit`);
    },
  },
  {
    name: "hpa-behaviour-never-down",
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: "10m" } });
      await rollOut(kit, 4);
      const scaleDown = { selectPolicy: "Disabled", stabilizationWindowSeconds: 0 };
      await autoscale(kit, [cpu(50)], { behavior: { scaleDown } });
      await settles(kit, 4, `${READY}, ${VALID}, True ScaleDownLimit`);
    },
  },
];

const OF_OTHERS: readonly AutoscalingScenario[] = [
  {
    name: "hpa-object-value",
    run: async (kit, metrics) => {
      await createService(kit);
      metrics.setObjectMetric(SERVICES, { namespace: kit.namespace, name: "s", metric: "hits", value: "30" });
      await rollOut(kit, 2);
      await autoscale(kit, [ofService(value("15"))]);
      await settles(kit, 5, `${READY}, ${VALID}, ${TOO_MANY}`);
    },
  },
  {
    name: "hpa-object-average",
    run: async (kit, metrics) => {
      await createService(kit);
      metrics.setObjectMetric(SERVICES, { namespace: kit.namespace, name: "s", metric: "hits", value: "61" });
      await rollOut(kit, 2);
      await autoscale(kit, [ofService(average("20"))]);
      await settles(kit, 4, `${READY}, ${VALID}, ${IN_RANGE}`);
    },
  },
  {
    name: "hpa-object-without-metric",
    run: async (kit) => {
      await createService(kit);
      await rollOut(kit, 2);
      await autoscale(kit, [ofService(value("15"))]);
      await says(kit, `${READ}, False FailedGetObjectMetric, -`);
    },
  },
  {
    name: "hpa-external-value",
    run: async (kit, metrics) => {
      const series = { namespace: kit.namespace, metric: "depth" };
      metrics.setExternalMetric({ ...series, labels: { queue: "mail" }, value: "16" });
      metrics.setExternalMetric({ ...series, labels: { queue: "other" }, value: "1000" });
      await rollOut(kit, 3);
      await autoscale(kit, [external(value("15"), "mail")]);
      await settles(kit, 3, `${READY}, ${VALID}, ${IN_RANGE}`);
    },
  },
  {
    name: "hpa-external-average",
    run: async (kit, metrics) => {
      const series = { namespace: kit.namespace, metric: "depth" };
      metrics.setExternalMetric({ ...series, labels: { queue: "mail" }, value: "30" });
      metrics.setExternalMetric({ ...series, labels: { queue: "other" }, value: "7500m" });
      await rollOut(kit, 2);
      await autoscale(kit, [external(average("10"))]);
      await settles(kit, 4, `${READY}, ${VALID}, ${IN_RANGE}`);
    },
  },
  {
    name: "hpa-external-unknown",
    run: async (kit) => {
      await rollOut(kit, 2);
      await autoscale(kit, [external(average("10"), "nobody")]);
      await says(kit, `${READ}, False FailedGetExternalMetric, -`);
    },
  },
  {
    name: "hpa-one-of-two-fails-and-the-other-wants-more",
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: "150m" } });
      await rollOut(kit, 2);
      await autoscale(kit, [pods("unknown", average("1")), cpu(50)]);
      await settles(kit, 5, `${READY}, ${VALID}, ${TOO_MANY}`);
    },
  },
  {
    name: "hpa-one-of-two-fails-and-the-other-wants-less",
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: "10m" } });
      await rollOut(kit, 4);
      await autoscale(kit, [pods("unknown", average("1")), cpu(50)]);
      await says(kit, `${READ}, False FailedGetPodsMetric, -`);
    },
  },
];

const ODD: readonly AutoscalingScenario[] = [
  {
    name: "hpa-no-metrics",
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: "none" });
      await rollOut(kit, 3);
      await autoscale(kit, [cpu(50)]);
      await says(kit, `${READ}, False FailedGetResourceMetric, -`);
    },
  },
  {
    name: "hpa-no-request",
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: { "example.com/x": "1" } });
      await rollOut(kit, 3);
      const target = { type: "Utilization", averageUtilization: 50 };
      await autoscale(kit, [{ type: "Resource", resource: { name: "example.com/x", target } }]);
      await says(kit, `${READ}, False FailedGetResourceMetric, -`);
    },
  },
  {
    name: "hpa-no-target",
    run: async (kit) => {
      await autoscale(kit, [cpu(50)]);
      await says(kit, "False FailedGetScale, -, -");
    },
  },
  {
    name: "hpa-target-without-scale",
    run: async (kit) => {
      await autoscale(kit, [cpu(50)], { scaleTargetRef: { apiVersion: "batch/v1", kind: "Job", name: "a" } });
      await says(kit, "False FailedGetScale, -, -");
    },
  },
  {
    name: "hpa-target-of-no-kind",
    run: async (kit) => {
      await autoscale(kit, [cpu(50)], { scaleTargetRef: { apiVersion: "x.example.com/v1", kind: "X", name: "a" } });
      await says(kit, "False FailedGetScale, -, -");
    },
  },
  {
    name: "hpa-statefulset",
    run: async (kit, metrics) => {
      metrics.setObjectMetric(PODS, { namespace: kit.namespace, metric: "qps", value: "20" });
      await kit.create(STATEFULSETS, statefulSet("a", { replicas: 2 }));
      await setRolledOut(kit, "a");
      const scaleTargetRef = { apiVersion: "apps/v1", kind: "StatefulSet", name: "a" };
      await autoscale(kit, [pods("qps", average("20"))], { scaleTargetRef, minReplicas: 3 });
      await says(kit, `${READY}, ${VALID}, ${IN_RANGE}`);
      await setRolledOut(kit, "a");
    },
  },
  {
    name: "hpa-switched-off",
    run: async (kit) => {
      await rollOut(kit, 0);
      await autoscale(kit, [cpu(50)]);
      await says(kit, `${READ}, False ScalingDisabled, -`);
    },
  },
  {
    name: "hpa-above-maximum",
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: "50m" } });
      await rollOut(kit, 6);
      await autoscale(kit, [cpu(50)]);
      await settles(kit, 5, `${READY}, ${VALID}, ${IN_RANGE}`);
    },
  },
  {
    name: "hpa-below-minimum",
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: "50m" } });
      await rollOut(kit, 1);
      await autoscale(kit, [cpu(50)]);
      await settles(kit, 2, `${READY}, ${VALID}, ${IN_RANGE}`);
    },
  },
  {
    name: "hpa-two-of-one-target",
    run: async (kit, metrics) => {
      metrics.setPodUsage({ namespace: kit.namespace, usage: { cpu: "50m" } });
      await rollOut(kit, 2);
      await autoscale(kit, [cpu(50)], {}, "h");
      await kit.until(
        HORIZONTALPODAUTOSCALERS,
        "h",
        "was looked at while it was alone",
        ({ status }) => (status?.currentMetrics?.length ?? 0) > 0,
      );
      await autoscale(kit, [cpu(50)], {}, "i");
      const ambiguous = "False AmbiguousSelector";
      await untilAmbiguous(kit, "h", ambiguous);
      await untilAmbiguous(kit, "i", ambiguous);
    },
  },
];

async function untilAmbiguous(kit: Kit, name: string, ambiguous: string): Promise<void> {
  await kit.until(
    HORIZONTALPODAUTOSCALERS,
    name,
    ambiguous,
    ({ status }) => status?.conditions?.some(({ status, reason }) => `${status} ${reason}` === ambiguous),
  );
}

async function createService(kit: Kit): Promise<void> {
  await kit.create(SERVICES, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "s" },
    spec: { selector: { app: "a" }, ports: [{ port: 80 }] },
  });
}

export const AUTOSCALING_SCENARIOS: readonly AutoscalingScenario[] = [...FROM_PODS, ...OF_OTHERS, ...ODD];
