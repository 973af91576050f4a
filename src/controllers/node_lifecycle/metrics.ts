import type { Clock, Counter, Gauge, Histogram, MetricsRegistry } from "../../base/mod.ts";

const NODE_BUCKETS_SECONDS = Array.from({ length: 8 }, (_, n) => 0.001 * 4 ** n);
const PASS_BUCKETS_SECONDS = Array.from({ length: 8 }, (_, n) => 0.01 * 4 ** n);

/** The metrics of zones. Upstream: `pkg/controller/nodelifecycle/metrics.go`. */
export class NodeMetrics {
  readonly #clock: Clock;
  readonly #health: Gauge;
  readonly #size: Gauge;
  readonly #unhealthy: Gauge;
  readonly #evictions: Counter;
  readonly #nodeDuration: Histogram;
  readonly #passDuration: Histogram;

  constructor(metrics: MetricsRegistry, clock: Clock) {
    this.#clock = clock;
    const labels = ["zone"];
    this.#health = metrics.gauge({
      name: "node_collector_zone_health",
      help: "Gauge measuring percentage of healthy nodes per zone.",
      labels,
    });
    this.#size = metrics.gauge({
      name: "node_collector_zone_size",
      help: "Gauge measuring number of registered Nodes per zones.",
      labels,
    });
    this.#unhealthy = metrics.gauge({
      name: "node_collector_unhealthy_nodes_in_zone",
      help: "Gauge measuring number of not Ready Nodes per zones.",
      labels,
    });
    this.#evictions = metrics.counter({
      name: "node_collector_evictions_total",
      help: "Number of Node evictions that happened since current instance of NodeController started.",
      labels,
    });
    this.#nodeDuration = metrics.histogram({
      name: "node_collector_update_node_health_duration_seconds",
      help: "Duration in seconds for NodeController to update the health of a single node.",
      buckets: NODE_BUCKETS_SECONDS,
    });
    this.#passDuration = metrics.histogram({
      name: "node_collector_update_all_nodes_health_duration_seconds",
      help: "Duration in seconds for NodeController to update the health of all nodes.",
      buckets: PASS_BUCKETS_SECONDS,
    });
  }

  /** Records a zone's state; one without nodes is healthy. */
  zone(zone: string, { size, unhealthy }: { readonly size: number; readonly unhealthy: number }): void {
    this.#size.set(size, [zone]);
    this.#health.set(size === 0 ? 100 : (100 * (size - unhealthy)) / size, [zone]);
    this.#unhealthy.set(unhealthy, [zone]);
  }

  /** Counts nodes of a zone whose pods are evicted from now on. */
  evicted(zone: string, count = 1): void {
    this.#evictions.inc([zone], count);
  }

  /** Measures a check of one node, or of all of them. */
  async measure(what: "node" | "pass", fn: () => Promise<void>): Promise<void> {
    const begunMs = this.#clock.monotonicMs();
    try {
      await fn();
    } finally {
      const seconds = (this.#clock.monotonicMs() - begunMs) / 1000;
      (what === "node" ? this.#nodeDuration : this.#passDuration).observe(seconds);
    }
  }
}
