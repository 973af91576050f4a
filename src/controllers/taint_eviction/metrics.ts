import type { Counter, Histogram, MetricsRegistry } from "../../base/mod.ts";

const BUCKETS_SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240];

/** Counts evictions. Upstream: `pkg/controller/tainteviction/metrics/metrics.go`. */
export class EvictionMetrics {
  readonly #total: Counter;
  readonly #duration: Histogram;

  constructor(metrics: MetricsRegistry) {
    this.#total = metrics.counter({
      name: "taint_eviction_controller_pod_deletions_total",
      help: "Total number of Pods deleted by TaintEvictionController since its start.",
    });
    this.#duration = metrics.histogram({
      name: "taint_eviction_controller_pod_deletion_duration_seconds",
      help:
        "Latency, in seconds, between the time when a taint effect has been activated for the Pod and its deletion via " +
        "TaintEvictionController.",
      buckets: BUCKETS_SECONDS,
    });
  }

  /** @param lateMs How long after it was due. */
  deleted(lateMs: number): void {
    this.#total.inc();
    this.#duration.observe(lateMs / 1000);
  }
}
