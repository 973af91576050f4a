import { errorText, TurnBudget } from "../../base/mod.ts";
import { type MetricSpec, type MetricStatus, objectKey, type Selector } from "../../api/mod.ts";
import { tolerancesOf } from "./calculation/mod.ts";
import type { Autoscaler, AutoscalerContext } from "./context.ts";
import { MetricError, ProposalError, SpecError } from "./errors.ts";
import { actionOf } from "./metrics.ts";
import { containerResourceMetric, podsMetric, resourceMetric } from "./pod_metrics.ts";
import type { StatusDraft } from "./status.ts";
import type { Evaluated, EvaluationContext, Subject } from "./subject.ts";
import type { TargetScale } from "./target_scale.ts";
import { externalMetric, objectMetric } from "./total_metrics.ts";

/** The combined proposal of all metrics. */
export interface Proposal {
  readonly replicas: number;
  /** The metric with the highest proposal. */
  readonly name: string;
  readonly statuses: readonly MetricStatus[];
  /** The failure of some metrics, although others succeeded. */
  readonly partialError?: Error;
}

/** The status of a failed metric: upstream's zero value. */
const FAILED: MetricStatus = { type: "" };

/**
 * Evaluates an autoscaler's metrics; the highest proposal wins. If any metric fails, nothing is scaled down.
 *
 * Upstream: `pkg/controller/podautoscaler/horizontal.go` (computeReplicasForMetrics).
 *
 * @throws {ProposalError} If too little is known; the condition shows why.
 */
export async function propose(
  autoscaler: Autoscaler,
  { specReplicas, statusReplicas, selector }: TargetScale,
  context: AutoscalerContext & { readonly draft: StatusDraft },
): Promise<Proposal> {
  const { draft, settings } = context;
  const subject: Subject = {
    namespace: autoscaler.metadata?.namespace ?? "",
    selector: await selectorOrFail(autoscaler, selector, context),
    specReplicas,
    statusReplicas,
    tolerances: tolerancesOf(settings.hasOwnTolerance ? autoscaler.spec.behavior : undefined, settings.tolerance),
  };
  const metrics = autoscaler.spec.metrics ?? [];
  const statuses: MetricStatus[] = [];
  const failures: MetricError[] = [];
  let best: Evaluated | undefined;
  for (const metric of metrics) {
    const result = await observed(autoscaler, metric, subject, context);
    statuses.push(result instanceof MetricError ? FAILED : result.status);
    if (result instanceof MetricError) failures.push(result);
    else if (!best || best.replicas === 0 || result.replicas > best.replicas) best = result;
  }
  const [first] = failures;
  const partialError = first && new Error(
    `invalid metrics (${failures.length} invalid out of ${metrics.length}), first error is: ${first.message}`,
    { cause: first },
  );
  if (!best || partialError && best.replicas < specReplicas) {
    if (first) draft.say("ScalingActive", conditionOf(first));
    throw new ProposalError(partialError?.message ?? "there are no metrics to scale by", statuses, partialError);
  }
  draft.say("ScalingActive", {
    isTrue: true,
    reason: "ValidMetricFound",
    message: `the HPA was able to successfully calculate a replica count from ${best.name}`,
  });
  return { replicas: best.replicas, name: best.name, statuses, partialError };
}

function conditionOf({ reason, why }: MetricError) {
  return { isTrue: false, reason, message: `the HPA was unable to compute the replica count: ${why}` };
}

async function selectorOrFail(
  autoscaler: Autoscaler,
  selector: Selector,
  context: Parameters<typeof checkSelector>[2],
): Promise<Subject["selector"]> {
  try {
    return await checkSelector(autoscaler, selector, context);
  } catch (error) {
    throw new ProposalError(errorText(error), [], error);
  }
}

/** Evaluates one metric and counts the result; a failure is recorded and returned. */
async function observed(
  autoscaler: Autoscaler,
  metric: MetricSpec,
  subject: Subject,
  context: AutoscalerContext,
): Promise<Evaluated | MetricError> {
  const { world: { clock }, metrics, recorder } = context;
  const startedMs = clock.monotonicMs();
  const durationMs = () => clock.monotonicMs() - startedMs;
  try {
    const evaluated = await evaluate(metric, subject, context);
    const action = actionOf(autoscaler.status?.currentReplicas ?? 0, evaluated.replicas);
    metrics.computed(metric.type, { action, fault: "none" }, durationMs());
    return evaluated;
  } catch (error) {
    if (!(error instanceof MetricError)) throw error;
    const fault = error.cause instanceof SpecError ? "spec" : "internal";
    metrics.computed(metric.type, { action: "none", fault }, durationMs());
    recorder.event(autoscaler, "Warning", error.reason, error.why);
    return error;
  }
}

/**
 * The selector of the target's pods, which no other autoscaler may scale.
 *
 * Upstream: `pkg/controller/podautoscaler/horizontal.go` (validateAndParseSelector).
 *
 * @throws {Error} If there is none, or another autoscaler scales some of the pods; event and condition show it.
 */
async function checkSelector(
  autoscaler: Autoscaler,
  selector: Selector,
  { world, draft, recorder, selectors, pods }: Pick<AutoscalerContext, "world" | "recorder" | "selectors" | "pods"> & {
    readonly draft: StatusDraft;
  },
): Promise<Selector> {
  const refuse = (reason: "SelectorRequired" | "AmbiguousSelector", why: string, message = why) => {
    recorder.event(autoscaler, "Warning", reason, why);
    // A missing selector is invalid for the condition.
    const said = reason === "SelectorRequired" ? "InvalidSelector" : reason;
    draft.say("ScalingActive", { isTrue: false, reason: said, message });
    return new Error(why);
  };
  if (selector.isEmpty) {
    throw refuse("SelectorRequired", "selector is required", "the HPA target's scale is missing a selector");
  }
  selectors.set(objectKey(autoscaler), selector);
  const { namespace = "" } = autoscaler.metadata ?? {};
  const all = await new TurnBudget(world.clock)
    .run(selectors.selecting(namespace, pods.list({ namespace, selector })));
  if (all.length > 1) {
    const why = `pods by selector ${selector} are controlled by multiple HPAs: [${all.join(" ")}]`;
    throw refuse("AmbiguousSelector", why);
  }
  return selector;
}

/**
 * How many replicas one metric calls for. Upstream: `pkg/controller/podautoscaler/horizontal.go`
 * (computeReplicasForMetric).
 *
 * @throws {MetricError} If it cannot be evaluated.
 */
async function evaluate(spec: MetricSpec, subject: Subject, context: EvaluationContext): Promise<Evaluated> {
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
