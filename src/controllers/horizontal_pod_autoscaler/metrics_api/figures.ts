import { errorText } from "../../../base/mod.ts";
import {
  type AutoscalingV2CrossVersionObjectReference,
  parseTime,
  Quantity,
  type QuantityValue,
  type Selector,
  type Time,
} from "../../../api/mod.ts";

/** A figure of one pod. */
export interface PodMetric {
  /** In thousandths. */
  readonly value: bigint;
  /** When it was taken, by the wall clock. */
  readonly timestampMs: number;
  /** Over how long it was taken. */
  readonly windowMs: number;
}

/** By the pod's name. */
export type PodMetrics = ReadonlyMap<string, PodMetric>;

/** A query for pods' usage of a resource. */
export interface ResourceMetricQuery {
  readonly resource: string;
  readonly namespace: string;
  readonly selector: Selector;
  /** Only this container's usage. */
  readonly container?: string;
}

/** A metric and a selector for its series. */
interface NamedMetricQuery {
  readonly metric: string;
  readonly namespace: string;
  readonly metricSelector: Selector;
}

export interface PodsMetricQuery extends NamedMetricQuery {
  readonly selector: Selector;
}

export interface ObjectMetricQuery extends NamedMetricQuery {
  readonly object: AutoscalingV2CrossVersionObjectReference;
}

export type ExternalMetricQuery = NamedMetricQuery;

/**
 * The source of figures. Errors have the messages of upstream's client.
 * Upstream: `pkg/controller/podautoscaler/metrics/client.go`.
 */
export interface MetricsApi {
  resourceMetrics(query: ResourceMetricQuery): Promise<PodMetrics>;
  podsMetrics(query: PodsMetricQuery): Promise<PodMetrics>;
  /** In thousandths. */
  objectMetric(query: ObjectMetricQuery): Promise<bigint>;
  /** In thousandths. */
  externalMetrics(query: ExternalMetricQuery): Promise<readonly bigint[]>;
}

/** A figure in thousandths, with upstream's result if it exceeds 64 bits. */
export function milliOf(value: QuantityValue | undefined): bigint {
  return Quantity.parse(value).milliInt64();
}

/** When a figure was taken; Go's zero time if unset. */
export function takenMs(timestamp: Time | null | undefined): number {
  return timestamp ? parseTime(timestamp) : 0;
}

/** One segment of a path. */
export function segment(text: string): string {
  return encodeURIComponent(text);
}

/** Queries one of the APIs; a failure names it. */
export async function fetched<T>(api: "resource" | "custom" | "external", ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw new Error(`unable to fetch metrics from ${api} metrics API: ${errorText(error)}`, { cause: error });
  }
}

/** @throws {Error} If the API returns nothing. */
export function someOf<T>(api: "resource" | "custom" | "external", items: readonly T[] | undefined): readonly T[] {
  if (!items?.length) throw new Error(`no metrics returned from ${api} metrics API`);
  return items;
}
