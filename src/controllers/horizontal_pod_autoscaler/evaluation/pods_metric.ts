import { type PodsMetricSource, selectorOf } from "../../../api/mod.ts";
import { replicasByAverage } from "../calculation/mod.ts";
import { milliOf } from "../metrics_api/mod.ts";
import { evaluating, trying } from "./metric_error.ts";
import { type Evaluated, type EvaluationContext, inputOf, podsOf, quantityText, type Subject } from "./subject.ts";

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
