import type { Counter, Histogram, MetricsRegistry } from "../../base/mod.ts";

const BUCKETS_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240];

/** Whose evictions are counted. */
export interface EvictionMetricsOptions {
  /** The prefix of the metrics' names. */
  readonly prefix: string;
  /** The controller, as upstream's help texts call it. */
  readonly controller: string;
  /** The interval that is measured, in the words of upstream's help text. */
  readonly between: string;
}

/** Names of the metrics of {@link EvictionMetrics}. */
export function evictionMetricNames(prefix: string): { readonly total: string; readonly duration: string } {
  return { total: `${prefix}_pod_deletions_total`, duration: `${prefix}_pod_deletion_duration_seconds` };
}

/** Counts evictions. Upstream: `pkg/controller/tainteviction/metrics`, `pkg/controller/devicetainteviction/metrics`. */
export class EvictionMetrics {
  readonly #total: Counter;
  readonly #duration: Histogram;

  constructor(metrics: MetricsRegistry, { prefix, controller, between }: EvictionMetricsOptions) {
    const { total, duration } = evictionMetricNames(prefix);
    this.#total = metrics.counter({
      name: total,
      help: `Total number of Pods deleted by ${controller} since its start.`,
    });
    this.#duration = metrics.histogram({
      name: duration,
      help: `Latency, in seconds, between the time when ${between} via ${controller}.`,
      buckets: BUCKETS_SECONDS,
    });
  }

  /** @param lateMs How long after its due time. */
  deleted(lateMs: number): void {
    this.#total.inc();
    this.#duration.observe(lateMs / 1000);
  }
}
