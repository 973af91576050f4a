import { type ObjectMetricSource, selectorOf } from "../../../api/mod.ts";
import { replicasByRatio, replicasByShare } from "../calculation/mod.ts";
import { milliOf } from "../metrics_api/mod.ts";
import { externalName } from "./external_metric.ts";
import { evaluating, trying } from "./metric_error.ts";
import { type Evaluated, type EvaluationContext, podsOf, quantityText, type Subject } from "./subject.ts";

const REASON = "FailedGetObjectMetric";
const FOR = "failed to get object metric value: ";

/** A metric of one object of the namespace. */
export async function objectMetric(
  source: ObjectMetricSource,
  subject: Subject,
  context: EvaluationContext,
): Promise<Evaluated> {
  const { metric, target: { type, value, averageValue }, describedObject } = source;
  const { tolerances, specReplicas: current, statusReplicas: count } = subject;
  if (type === "Value" && value !== undefined) {
    return await evaluating(REASON, FOR, async () => {
      const usage = await usageOf(source, subject, context);
      const pods = () => podsOf(subject, context);
      const replicas = replicasByRatio({ usage, target: milliOf(value) }, { current, pods, tolerances });
      const object = { describedObject, metric, current: { value: quantityText(usage) } };
      return { replicas, name: `${describedObject.kind} metric ${metric.name}`, status: { type: "Object", object } };
    });
  }
  if (type === "AverageValue" && averageValue !== undefined) {
    await evaluating(REASON, FOR, () => selectorOf(metric.selector));
    return await evaluating(REASON, `${FOR}failed to get ${metric.name} object metric: `, async () => {
      const usage = await usageOf(source, subject, context);
      const { replicas, average } = replicasByShare({ usage, target: milliOf(averageValue) }, { count, tolerances });
      const object = { describedObject, metric, current: { averageValue: quantityText(average) } };
      return { replicas, name: externalName(metric), status: { type: "Object", object } };
    });
  }
  return await evaluating(REASON, FOR, () => {
    throw new Error("invalid object metric source: neither a value target nor an average value target was set");
  });
}

async function usageOf(
  { metric: { name: metric, selector }, describedObject: object }: ObjectMetricSource,
  { namespace }: Subject,
  { metricsApi }: EvaluationContext,
): Promise<bigint> {
  const metricSelector = selectorOf(selector);
  // The words are upstream's, out of order as they are.
  return await trying(
    `unable to get metric ${metric}: ${object.kind} on ${namespace} ${object.name}/`,
    () => metricsApi.objectMetric({ metric, namespace, object, metricSelector }),
  );
}
