import {
  type ExternalMetricSource,
  type MetricIdentifier,
  type ObjectMetricSource,
  selectorGoText,
  selectorOf,
} from "../../api/mod.ts";
import { replicasByRatio, replicasByShare, sumOfValues, sumToShare } from "./calculation/mod.ts";
import { milliOf } from "./metrics_api/mod.ts";
import {
  type Evaluated,
  evaluating,
  type EvaluationContext,
  podsOf,
  quantityText,
  type Subject,
  trying,
} from "./subject.ts";

const OBJECT_FAILED = "FailedGetObjectMetric";
const FOR_OBJECT = "failed to get object metric value: ";

/** A metric of one object of the namespace. */
export async function objectMetric(
  source: ObjectMetricSource,
  subject: Subject,
  context: EvaluationContext,
): Promise<Evaluated> {
  const { metric, target: { type, value, averageValue }, describedObject } = source;
  const { tolerances, specReplicas: current, statusReplicas: count } = subject;
  if (type === "Value" && value !== undefined) {
    return await evaluating(OBJECT_FAILED, FOR_OBJECT, async () => {
      const usage = await usageOf(source, subject, context);
      const pods = () => podsOf(subject, context);
      const replicas = replicasByRatio({ usage, target: milliOf(value) }, { current, pods, tolerances });
      const object = { describedObject, metric, current: { value: quantityText(usage) } };
      return { replicas, name: `${describedObject.kind} metric ${metric.name}`, status: { type: "Object", object } };
    });
  }
  if (type === "AverageValue" && averageValue !== undefined) {
    await evaluating(OBJECT_FAILED, FOR_OBJECT, () => selectorOf(metric.selector));
    return await evaluating(OBJECT_FAILED, `${FOR_OBJECT}failed to get ${metric.name} object metric: `, async () => {
      const usage = await usageOf(source, subject, context);
      const { replicas, average } = replicasByShare({ usage, target: milliOf(averageValue) }, { count, tolerances });
      const object = { describedObject, metric, current: { averageValue: quantityText(average) } };
      return { replicas, name: externalName(metric), status: { type: "Object", object } };
    });
  }
  return await evaluating(OBJECT_FAILED, FOR_OBJECT, () => {
    throw new Error("invalid object metric source: neither a value target nor an average value target was set");
  });
}

async function usageOf(
  { metric: { name: metric, selector }, describedObject: object }: ObjectMetricSource,
  { namespace }: Subject,
  { metricsApi }: EvaluationContext,
): Promise<bigint> {
  const metricSelector = selectorOf(selector);
  // Upstream's text, including its odd word order.
  return await trying(
    `unable to get metric ${metric}: ${object.kind} on ${namespace} ${object.name}/`,
    () => metricsApi.objectMetric({ metric, namespace, object, metricSelector }),
  );
}

const EXTERNAL_FAILED = "FailedGetExternalMetric";

/** An external metric. An average wins over a value. */
export async function externalMetric(
  { metric, target: { value, averageValue } }: ExternalMetricSource,
  subject: Subject,
  context: EvaluationContext,
): Promise<Evaluated> {
  const { tolerances, specReplicas: current, statusReplicas: count } = subject;
  const prefix = `failed to get ${metric.name} external metric value: `;
  const name = externalName(metric);
  if (averageValue !== undefined) {
    return await evaluating(EXTERNAL_FAILED, `${prefix}failed to get ${metric.name} external metric: `, async () => {
      const usage = sumToShare(await valuesOf(metric, subject, context));
      const { replicas, average } = replicasByShare({ usage, target: milliOf(averageValue) }, { count, tolerances });
      const external = { metric, current: { averageValue: quantityText(average) } };
      return { replicas, name, status: { type: "External", external } };
    });
  }
  if (value !== undefined) {
    return await evaluating(EXTERNAL_FAILED, `${prefix}failed to get external metric ${metric.name}: `, async () => {
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
  return await evaluating(EXTERNAL_FAILED, prefix, () => {
    throw new Error("invalid external metric source: neither a value target nor an average value target was set");
  });
}

/** The name in messages of a metric that is not tied to pods. */
function externalName({ name, selector }: MetricIdentifier): string {
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
