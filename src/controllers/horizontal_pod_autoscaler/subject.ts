import { errorText } from "../../base/mod.ts";
import { type MetricStatus, type Pod, Quantity, type QuantityFormat, type Selector } from "../../api/mod.ts";
import type { Tolerances } from "./calculation/mod.ts";
import type { AutoscalerContext, AutoscalerSettings } from "./context.ts";
import { MetricError } from "./errors.ts";

/** The subject of an autoscaler's metrics. */
export interface Subject {
  readonly namespace: string;
  /** The selector of the target's pods. */
  readonly selector: Selector;
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly tolerances: Tolerances;
}

/** The context for evaluating metrics. */
export interface EvaluationContext extends Pick<AutoscalerContext, "world" | "pods" | "metricsApi"> {
  readonly settings: AutoscalerSettings;
}

/** A metric's proposal. */
export interface Evaluated {
  readonly replicas: number;
  /** The metric's name in messages. */
  readonly name: string;
  readonly status: MetricStatus;
}

/** The cached pods of the target. */
export function podsOf({ namespace, selector }: Subject, { pods }: EvaluationContext): Pod[] {
  return pods.list({ namespace, selector });
}

/** The inputs for calculations. */
export function inputOf(subject: Subject, { world, settings }: EvaluationContext) {
  const { specReplicas, tolerances } = subject;
  const { cpuInitializationMs, initialReadinessMs } = settings;
  return { current: specReplicas, tolerances, nowMs: world.clock.wallMs(), cpuInitializationMs, initialReadinessMs };
}

/** Formats thousandths for a status. */
export function quantityText(thousandths: bigint, format: QuantityFormat = "DecimalSI"): string {
  return Quantity.of(thousandths, -3, format).toString();
}

/** Runs a part of the evaluation; turns failures into a {@link MetricError}. */
export async function evaluating<T>(reason: string, prefix: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new MetricError(reason, prefix, error);
  }
}

/** Prefixes an error with what was tried. */
export async function trying<T>(what: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${what}${errorText(error)}`, { cause: error });
  }
}
