import type { AutoscalingV2CrossVersionObjectReference, Selector } from "../../../api/mod.ts";

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

/** Which pods' use of a resource. */
export interface ResourceMetricQuery {
  readonly resource: string;
  readonly namespace: string;
  readonly selector: Selector;
  /** What this container alone uses. */
  readonly container?: string;
}

/** A metric, and which of its series. */
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
 * Where figures come from. Each method fails with the words of upstream's client.
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
