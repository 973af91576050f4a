import { errorText } from "../../base/mod.ts";
import { type MetricStatus, type Pod, Quantity, type QuantityFormat, type Selector } from "../../api/mod.ts";
import type { Tolerances } from "./calculation/mod.ts";
import type { AutoscalerContext, AutoscalerSettings } from "./context.ts";
import { MetricError } from "./errors.ts";

/** What an autoscaler's metrics are about. */
export interface Subject {
  readonly namespace: string;
  /** Of the target's pods. */
  readonly selector: Selector;
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly tolerances: Tolerances;
}

/** What metrics are evaluated with. */
export interface EvaluationContext extends Pick<AutoscalerContext, "world" | "pods" | "metricsApi"> {
  readonly settings: AutoscalerSettings;
}

/** What a metric asks for. */
export interface Evaluated {
  readonly replicas: number;
  /** As messages call the metric. */
  readonly name: string;
  readonly status: MetricStatus;
}

/** The cached pods of the target. */
export function podsOf({ namespace, selector }: Subject, { pods }: EvaluationContext): Pod[] {
  return pods.list({ namespace, selector });
}

/** What of it the calculations need. */
export function inputOf(subject: Subject, { world, settings }: EvaluationContext) {
  const { specReplicas, tolerances } = subject;
  const { cpuInitializationMs, initialReadinessMs } = settings;
  return { current: specReplicas, tolerances, nowMs: world.clock.wallMs(), cpuInitializationMs, initialReadinessMs };
}

/** Thousandths as a status has them. */
export function quantityText(thousandths: bigint, format: QuantityFormat = "DecimalSI"): string {
  return Quantity.of(thousandths, -3, format).toString();
}

/** Does a part of the evaluation; what fails is a {@link MetricError}. */
export async function evaluating<T>(reason: string, prefix: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new MetricError(reason, prefix, error);
  }
}

/** Says before an error what was tried: `what` with the text that parts both. */
export async function trying<T>(what: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${what}${errorText(error)}`, { cause: error });
  }
}
