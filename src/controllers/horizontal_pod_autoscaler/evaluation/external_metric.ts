import { type ExternalMetricSource, type MetricIdentifier, selectorGoText, selectorOf } from "../../../api/mod.ts";
import { replicasByRatio, replicasByShare, sumOfValues, sumToShare } from "../calculation/mod.ts";
import { milliOf } from "../metrics_api/mod.ts";
import { evaluating, trying } from "./metric_error.ts";
import { type Evaluated, type EvaluationContext, podsOf, quantityText, type Subject } from "./subject.ts";

const REASON = "FailedGetExternalMetric";

/** A metric of something outside the cluster. An average goes before a value. */
export async function externalMetric(
  { metric, target: { value, averageValue } }: ExternalMetricSource,
  subject: Subject,
  context: EvaluationContext,
): Promise<Evaluated> {
  const { tolerances, specReplicas: current, statusReplicas: count } = subject;
  const prefix = `failed to get ${metric.name} external metric value: `;
  const name = externalName(metric);
  if (averageValue !== undefined) {
    return await evaluating(REASON, `${prefix}failed to get ${metric.name} external metric: `, async () => {
      const usage = sumToShare(await valuesOf(metric, subject, context));
      const { replicas, average } = replicasByShare({ usage, target: milliOf(averageValue) }, { count, tolerances });
      const external = { metric, current: { averageValue: quantityText(average) } };
      return { replicas, name, status: { type: "External", external } };
    });
  }
  if (value !== undefined) {
    return await evaluating(REASON, `${prefix}failed to get external metric ${metric.name}: `, async () => {
      const usage = sumOfValues(await valuesOf(metric, subject, context));
      const pods = () => podsOf(subject, context);
      const replicas = replicasByRatio({ usage, target: milliOf(value) }, { current, pods, tolerances });
      return {
        replicas,
        name,
        status: { type: "External", external: { metric, current: { value: quantityText(usage) } } },
      };
    });
  }
  return await evaluating(REASON, prefix, () => {
    throw new Error("invalid external metric source: neither a value target nor an average value target was set");
  });
}

/** How messages name a metric that is not of pods. */
export function externalName({ name, selector }: MetricIdentifier): string {
  return `external metric ${name}(${textOf(selector)})`;
}

async function valuesOf(
  { name: metric, selector }: MetricIdentifier,
  { namespace }: Subject,
  { metricsApi }: EvaluationContext,
): Promise<readonly bigint[]> {
  const metricSelector = selectorOf(selector);
  return await trying(
    `unable to get external metric ${namespace}/${metric}/${textOf(selector)}: `,
    () => metricsApi.externalMetrics({ metric, namespace, metricSelector }),
  );
}

function textOf(selector: MetricIdentifier["selector"]): string {
  return selector ? selectorGoText(selector) : "nil";
}
