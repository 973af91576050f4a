import type { ContainerResourceMetricSource, MetricValueStatus, ResourceMetricSource } from "../../../api/mod.ts";
import { replicasByAverage, replicasByUtilization } from "../calculation/mod.ts";
import { milliOf } from "../metrics_api/mod.ts";
import { evaluating, trying } from "./metric_error.ts";
import { type Evaluated, type EvaluationContext, inputOf, podsOf, quantityText, type Subject } from "./subject.ts";

type Source = ResourceMetricSource & { readonly container?: string };
type Value = Omit<Evaluated, "status"> & { readonly current: MetricValueStatus };

/** What the pods use of a resource. */
export async function resourceMetric(
  source: ResourceMetricSource,
  subject: Subject,
  context: EvaluationContext,
): Promise<Evaluated> {
  const prefix = `failed to get ${source.name} resource metric value: `;
  return await evaluating("FailedGetResourceMetric", prefix, async () => {
    const { current, ...evaluated } = await evaluate(source, subject, context);
    return { ...evaluated, status: { type: "Resource", resource: { name: source.name, current } } };
  });
}

/** What one container of each pod uses of a resource. */
export async function containerResourceMetric(
  source: ContainerResourceMetricSource,
  subject: Subject,
  context: EvaluationContext,
): Promise<Evaluated> {
  const { name, container } = source;
  const prefix = `failed to get ${container} container metric value: `;
  return await evaluating("FailedGetContainerResourceMetric", prefix, async () => {
    const { current, ...evaluated } = await evaluate(source, subject, context);
    const containerResource = { name, container, current };
    return { ...evaluated, status: { type: "ContainerResource", containerResource } };
  });
}

async function evaluate(source: Source, subject: Subject, context: EvaluationContext): Promise<Value> {
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
