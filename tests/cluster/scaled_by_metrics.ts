/** Deployments that upstream's autoscaler scales by each kind of metric. */
import {
  type AutoscalingV2HorizontalPodAutoscaler,
  DEPLOYMENTS,
  findCondition,
  HORIZONTALPODAUTOSCALERS,
  PODS,
} from "../../src/api/mod.ts";
import type { MetricsApi } from "../../src/sandbox/mod.ts";
import { deployment, type Kit } from "../scenarios/kit.ts";

type Metric = NonNullable<NonNullable<AutoscalingV2HorizontalPodAutoscaler["spec"]>["metrics"]>[number];

/** Flags with which an autoscaler decides without waiting. */
export const EAGER_FLAGS: readonly string[] = [
  "--horizontal-pod-autoscaler-sync-period=1s",
  "--horizontal-pod-autoscaler-cpu-initialization-period=1s",
  "--horizontal-pod-autoscaler-downscale-stabilization=2s",
];

interface Case {
  readonly name: string;
  readonly metric: Metric;
  readonly set: (metrics: MetricsApi, namespace: string) => void;
  readonly replicas: number;
}

/** Each begins with one replica. */
const CASES: readonly Case[] = [
  {
    name: "cpu",
    metric: { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
    set: (metrics, namespace) =>
      metrics.setPodUsage({ namespace, labelSelector: "app=cpu", usage: { cpu: "150m", memory: "64Mi" } }),
    // 150 percent where 50 are wanted; from then on it would go on, but for the most that it may have.
    replicas: 4,
  },
  {
    name: "pods",
    metric: {
      type: "Pods",
      pods: { metric: { name: "requests" }, target: { type: "AverageValue", averageValue: "10" } },
    },
    set: (metrics, namespace) =>
      metrics.setObjectMetric(PODS, { namespace, labelSelector: "app=pods", metric: "requests", value: 20 }),
    replicas: 4,
  },
  {
    name: "object",
    metric: {
      type: "Object",
      object: {
        describedObject: { apiVersion: "apps/v1", kind: "Deployment", name: "object" },
        metric: { name: "load", selector: { matchLabels: { kind: "write" } } },
        target: { type: "AverageValue", averageValue: "10" },
      },
    },
    set: (metrics, namespace) => {
      const common = { namespace, name: "object", metric: "load" };
      metrics.setObjectMetric(DEPLOYMENTS, { ...common, value: 400, metricLabels: { kind: "read" } });
      metrics.setObjectMetric(DEPLOYMENTS, { ...common, value: 30, metricLabels: { kind: "write" } });
    },
    replicas: 3,
  },
  {
    name: "external",
    metric: {
      type: "External",
      external: {
        metric: { name: "queue-length", selector: { matchLabels: { queue: "mail" } } },
        target: { type: "AverageValue", averageValue: "10" },
      },
    },
    set: (metrics, namespace) => {
      metrics.setExternalMetric({ metric: "queue-length", labels: { queue: "mail", zone: "a" }, value: 9, namespace });
      metrics.setExternalMetric({ metric: "queue-length", labels: { queue: "mail", zone: "b" }, value: 10, namespace });
      metrics.setExternalMetric({ metric: "queue-length", labels: { queue: "print" }, value: 500, namespace });
    },
    replicas: 2,
  },
];

function autoscaler({ name, metric }: Case): AutoscalingV2HorizontalPodAutoscaler {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas: 1,
      maxReplicas: 4,
      metrics: [metric],
    },
  };
}

/** Has Deployments scaled by each kind of metric, up and for one of them down again. */
export async function scaleByMetrics(kit: Kit, metrics: MetricsApi): Promise<void> {
  const { namespace } = kit;
  for (const each of CASES) {
    const target = deployment(each.name, { replicas: 1 });
    target.spec!.template!.spec!.containers[0].resources = { requests: { cpu: "100m", memory: "64Mi" } };
    await kit.create(DEPLOYMENTS, target);
    await kit.create(HORIZONTALPODAUTOSCALERS, autoscaler(each));
  }
  await kit.until(
    HORIZONTALPODAUTOSCALERS,
    "pods",
    "has no metric yet",
    ({ status }) => findCondition(status?.conditions, "ScalingActive")?.reason === "FailedGetPodsMetric",
  );
  for (const { set } of CASES) set(metrics, namespace);
  for (const { name, replicas } of CASES) {
    await kit.until(DEPLOYMENTS, name, `has ${replicas} replicas`, ({ spec }) => spec?.replicas === replicas);
  }
  metrics.setPodUsage({ namespace, labelSelector: "app=cpu", usage: { cpu: "10m", memory: "64Mi" } });
  await kit.until(DEPLOYMENTS, "cpu", "is scaled down", ({ spec }) => spec?.replicas === 1);
}
