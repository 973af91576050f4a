import { type Counter, type Gauge, MetricsRegistry } from "../base/mod.ts";

/**
 * The `leader_election_*` metrics of one elector. Upstream:
 * `k8s.io/component-base/metrics/prometheus/clientgo/leaderelection`.
 */
export class ElectionMetrics {
  readonly #labels: readonly string[];
  readonly #status: Gauge;
  readonly #slowPath: Counter;

  /** @param name The elector's name, by default the lease's. */
  constructor(name: string, registry: MetricsRegistry = new MetricsRegistry()) {
    this.#labels = [name];
    this.#status = registry.gauge({
      name: "leader_election_master_status",
      help:
        "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. " +
        "'name' is the string used to identify the lease. Please make sure to group by name.",
      labels: ["name"],
    });
    this.#slowPath = registry.counter({
      name: "leader_election_slowpath_total",
      help: "Total number of slow path exercised in renewing leader leases. " +
        "'name' is the string used to identify the lease. Please make sure to group by name.",
      labels: ["name"],
    });
    this.leads(false);
    this.#slowPath.touch(this.#labels);
  }

  leads(isLeader: boolean): void {
    this.#status.set(isLeader ? 1 : 0, this.#labels);
  }

  /** Our own lease was read again before it was renewed. */
  slowPath(): void {
    this.#slowPath.inc(this.#labels);
  }
}
