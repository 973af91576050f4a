import type { MetricSpec } from "../../../api/mod.ts";
import { SpecError } from "../spec_error.ts";
import { externalMetric } from "./external_metric.ts";
import { MetricError } from "./metric_error.ts";
import { objectMetric } from "./object_metric.ts";
import { podsMetric } from "./pods_metric.ts";
import { containerResourceMetric, resourceMetric } from "./resource_metric.ts";
import type { Evaluated, EvaluationContext, Subject } from "./subject.ts";

/**
 * How many replicas one metric asks for. Upstream: `pkg/controller/podautoscaler/horizontal.go` (computeReplicasForMetric).
 *
 * @throws {MetricError} If that cannot be found out.
 */
export async function evaluate(spec: MetricSpec, subject: Subject, context: EvaluationContext): Promise<Evaluated> {
  const { type, resource, containerResource, pods, object, external } = spec;
  if (type === "Resource" && resource) return await resourceMetric(resource, subject, context);
  if (type === "ContainerResource" && containerResource) {
    return await containerResourceMetric(containerResource, subject, context);
  }
  if (type === "Pods" && pods) return await podsMetric(pods, subject, context);
  if (type === "Object" && object) return await objectMetric(object, subject, context);
  if (type === "External" && external) return await externalMetric(external, subject, context);
  const unknown = new SpecError(`unknown metric source type ${JSON.stringify(type)}`);
  throw new MetricError("InvalidMetricSourceType", "", unknown);
}
