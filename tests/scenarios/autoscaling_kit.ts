/** Autoscalers for scenarios, what they scale, and what is waited for. */
import {
  type AutoscalingV2HorizontalPodAutoscaler,
  type Deployment,
  DEPLOYMENTS,
  findCondition,
  HORIZONTALPODAUTOSCALERS,
  type MetricSpec,
  type MetricTarget,
} from "../../src/api/mod.ts";
import type { MetricsApi } from "../../src/sandbox/mod.ts";
import { deployment, type Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";

export type Autoscaler = AutoscalingV2HorizontalPodAutoscaler;

/** A scenario in which things have metrics. */
export interface AutoscalingScenario extends Omit<Scenario, "run"> {
  run(kit: Kit, metrics: MetricsApi): Promise<void>;
}

/** The scenarios where these metrics are served. */
export function withMetrics(scenarios: readonly AutoscalingScenario[], metrics: MetricsApi): readonly Scenario[] {
  return scenarios.map((scenario) => ({ ...scenario, run: (kit) => scenario.run(kit, metrics) }));
}

/** The Deployment `a`, of whose pods each container asks for a tenth of a processor and 64 MiB. */
export function target(replicas: number, containers: readonly string[] = ["c"]): Deployment {
  const { spec, ...rest } = deployment("a", { replicas });
  const resources = { requests: { cpu: "100m", memory: "64Mi" } };
  const pod = {
    ...spec!.template.spec!,
    containers: containers.map((name) => ({ name, image: "nginx:1", resources })),
  };
  return { ...rest, spec: { ...spec!, template: { ...spec!.template, spec: pod } } };
}

export async function rollOut(kit: Kit, replicas: number, containers?: readonly string[]): Promise<void> {
  await kit.create(DEPLOYMENTS, target(replicas, containers));
  await kit.rolledOut("a");
}

/** The use of processors, in percent of what is asked for. */
export function cpu(averageUtilization: number): MetricSpec {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } };
}

export function value(amount: string): MetricTarget {
  return { type: "Value", value: amount };
}

export function average(amount: string): MetricTarget {
  return { type: "AverageValue", averageValue: amount };
}

/** The autoscaler `h` of the Deployment `a`. */
export async function autoscale(
  kit: Kit,
  metrics: MetricSpec[],
  spec: Partial<Autoscaler["spec"]> = {},
  name = "h",
): Promise<void> {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "a" };
  await kit.create(HORIZONTALPODAUTOSCALERS, {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name },
    spec: { scaleTargetRef, minReplicas: 2, maxReplicas: 5, metrics, ...spec },
  });
}

/** What the conditions say: able, active and limited, each with its reason. */
export function conditionsText({ status }: Autoscaler): string {
  return ["AbleToScale", "ScalingActive", "ScalingLimited"].map((type) => {
    const condition = findCondition(status?.conditions, type);
    return condition ? `${condition.status} ${condition.reason}` : "-";
  }).join(", ");
}

/** Waits until the autoscaler wants so many replicas, says this, and there are so many. */
export async function settles(kit: Kit, replicas: number, conditions: string, name = "h"): Promise<Autoscaler> {
  const autoscaler = await kit.until(
    HORIZONTALPODAUTOSCALERS,
    name,
    `has settled at ${replicas}: ${conditions}`,
    (found) =>
      found.status?.desiredReplicas === replicas && (found.status.currentReplicas ?? 0) === replicas &&
      conditionsText(found) === conditions,
  );
  await kit.rolledOut("a");
  return autoscaler;
}

/** Waits until the autoscaler says this. */
export async function says(kit: Kit, conditions: string, name = "h"): Promise<Autoscaler> {
  const holds = (found: Autoscaler) => conditionsText(found) === conditions;
  return await kit.until(HORIZONTALPODAUTOSCALERS, name, `says ${conditions}`, holds);
}
