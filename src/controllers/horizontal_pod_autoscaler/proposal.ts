import type { MetricSpec, MetricStatus } from "../../api/mod.ts";
import { errorText } from "../running/mod.ts";
import { tolerancesOf } from "./calculation/mod.ts";
import type { Autoscaler, AutoscalerContext } from "./context.ts";
import { evaluate, type Evaluated, MetricError, type Subject } from "./evaluation/mod.ts";
import { actionOf } from "./metrics.ts";
import { checkSelector } from "./selector_check.ts";
import { SpecError } from "./spec_error.ts";
import type { StatusDraft } from "./status_draft.ts";
import type { TargetScale } from "./target/mod.ts";

/** What all metrics together ask for. */
export interface Proposal {
  readonly replicas: number;
  /** The metric that asks for the most. */
  readonly name: string;
  readonly statuses: readonly MetricStatus[];
  /** What some of the metrics could not tell, though others could. */
  readonly partialError?: Error;
}

/** Nothing is proposed: too little is known. */
export class ProposalError extends Error {
  override readonly name = "ProposalError";
  /** Of the metrics that were evaluated. */
  readonly statuses: readonly MetricStatus[];

  constructor(message: string, statuses: readonly MetricStatus[] = [], cause?: unknown) {
    super(message, { cause });
    this.statuses = statuses;
  }
}

/** Where a metric failed; upstream's zero value. */
const FAILED: MetricStatus = { type: "" };

/**
 * Evaluates the metrics of an autoscaler; the one that asks for the most wins. With failures among them nothing is scaled down.
 *
 * Upstream: `pkg/controller/podautoscaler/horizontal.go` (computeReplicasForMetrics).
 *
 * @throws {ProposalError} If too little is known; the condition says why.
 */
export async function propose(
  autoscaler: Autoscaler,
  { specReplicas, statusReplicas, selector: text }: TargetScale,
  context: AutoscalerContext & { readonly draft: StatusDraft },
): Promise<Proposal> {
  const { draft, settings } = context;
  const subject: Subject = {
    namespace: autoscaler.metadata?.namespace ?? "",
    selector: await selectorOrFail(autoscaler, text, context),
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
  text: string,
  context: Parameters<typeof checkSelector>[2],
): Promise<Subject["selector"]> {
  try {
    return await checkSelector(autoscaler, text, context);
  } catch (error) {
    throw new ProposalError(errorText(error), [], error);
  }
}

/** Evaluates one metric and counts how that went; a failure is told, and returned. */
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
