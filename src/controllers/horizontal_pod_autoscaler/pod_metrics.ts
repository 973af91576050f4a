import {
  type ContainerResourceMetricSource,
  type MetricValueStatus,
  type PodsMetricSource,
  type ResourceMetricSource,
  selectorOf,
} from "../../api/mod.ts";
import { replicasByAverage, replicasByUtilization } from "./calculation/mod.ts";
import { milliOf } from "./metrics_api/mod.ts";
import {
  type Evaluated,
  evaluating,
  type EvaluationContext,
  inputOf,
  podsOf,
  quantityText,
  type Subject,
  trying,
} from "./subject.ts";

type Source = ResourceMetricSource & { readonly container?: string };
type Value = Omit<Evaluated, "status"> & { readonly current: MetricValueStatus };

/** The pods' usage of a resource. */
export async function resourceMetric(
  source: ResourceMetricSource,
  subject: Subject,
  context: EvaluationContext,
): Promise<Evaluated> {
  const prefix = `failed to get ${source.name} resource metric value: `;
  return await evaluating("FailedGetResourceMetric", prefix, async () => {
    const { current, ...evaluated } = await evaluateResource(source, subject, context);
    return { ...evaluated, status: { type: "Resource", resource: { name: source.name, current } } };
  });
}

/** The usage of a resource by one container of each pod. */
export async function containerResourceMetric(
  source: ContainerResourceMetricSource,
  subject: Subject,
  context: EvaluationContext,
): Promise<Evaluated> {
  const { name, container } = source;
  const prefix = `failed to get ${container} container metric value: `;
  return await evaluating("FailedGetContainerResourceMetric", prefix, async () => {
    const { current, ...evaluated } = await evaluateResource(source, subject, context);
    const containerResource = { name, container, current };
    return { ...evaluated, status: { type: "ContainerResource", containerResource } };
  });
}

async function evaluateResource(source: Source, subject: Subject, context: EvaluationContext): Promise<Value> {
  const { name: resource, container, target } = source;
  const { averageValue, averageUtilization } = target;
  if (averageValue !== undefined) {
    return await trying(`failed to get ${resource} usage: `, async () => {
      const input = await inputFor(source, subject, context);
      const { replicas, average } = replicasByAverage(input, milliOf(averageValue));
      return { replicas, name: `${resource} resource`, current: { averageValue: amountText(resource, average) } };
    });
  }
  if (averageUtilization === undefined) {
    const missing = "neither an average utilization target nor an average value (usage) target was set";
    throw new Error(`invalid resource metric source: ${missing}`);
  }
  return await trying(`failed to get ${resource} utilization: `, async () => {
    const input = await inputFor(source, subject, context);
    const query = { resource, container, hasPodLevel: context.settings.hasPodLevel };
    const { replicas, average, utilization } = replicasByUtilization(input, averageUtilization, query);
    const what = container ? "container resource" : "resource";
    return {
      replicas,
      name: `${resource} ${what} utilization (percentage of request)`,
      current: { averageUtilization: utilization, averageValue: amountText(resource, average) },
    };
  });
}

async function inputFor({ name: resource, container }: Source, subject: Subject, context: EvaluationContext) {
  const { namespace, selector } = subject;
  const metrics = await trying(
    `unable to get metrics for resource ${resource}: `,
    () => context.metricsApi.resourceMetrics({ resource, namespace, selector, container }),
  );
  return { ...inputOf(subject, context), pods: podsOf(subject, context), metrics, resource };
}

function amountText(resource: string, thousandths: bigint): string {
  return quantityText(thousandths, resource === "memory" ? "BinarySI" : "DecimalSI");
}

/** A metric that each pod has. */
export async function podsMetric(
  { metric, target }: PodsMetricSource,
  subject: Subject,
  context: EvaluationContext,
): Promise<Evaluated> {
  const { namespace, selector } = subject;
  return await evaluating("FailedGetPodsMetric", "failed to get pods metric value: ", async () => {
    const metricSelector = selectorOf(metric.selector);
    const metrics = await trying(
      `unable to get metric ${metric.name}: `,
      () => context.metricsApi.podsMetrics({ metric: metric.name, namespace, selector, metricSelector }),
    );
    const input = { ...inputOf(subject, context), pods: podsOf(subject, context), metrics };
    const { replicas, average } = replicasByAverage(input, milliOf(target.averageValue));
    const pods = { metric, current: { averageValue: quantityText(average) } };
    return { replicas, name: `pods metric ${metric.name}`, status: { type: "Pods", pods } };
  });
}
