import type { Counter, Gauge, Histogram, MetricsRegistry } from "../../base/mod.ts";
import { StaleCacheError } from "../../cache/mod.ts";

const SUBSYSTEM = "endpoint_slice_controller";
const DEFAULT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Metrics of syncs and of Services' traffic distribution. Upstream: `k8s.io/endpointslice/metrics`. */
export class ServiceMetrics {
  readonly #syncs: Counter;
  readonly #changedSlices: Histogram;
  readonly #services: Gauge;
  readonly #distributions = new Map<string, string>();

  constructor(metrics: MetricsRegistry) {
    this.#syncs = metrics.counter({
      name: `${SUBSYSTEM}_syncs`,
      help: "Number of EndpointSlice syncs",
      labels: ["result"],
    });
    this.#changedSlices = metrics.histogram({
      name: `${SUBSYSTEM}_endpointslices_changed_per_sync`,
      help: "Number of EndpointSlices changed on each Service sync",
      labels: ["topology", "traffic_distribution"],
      buckets: DEFAULT_BUCKETS,
    });
    this.#services = metrics.gauge({
      name: `${SUBSYSTEM}_services_count_by_traffic_distribution`,
      help: "Number of Services using some specific trafficDistribution",
      labels: ["traffic_distribution"],
      stability: "BETA",
    });
  }

  /** Runs a sync and counts its result; rejects as it does. */
  async run(sync: () => Promise<void>): Promise<void> {
    let result = "success";
    try {
      await sync();
    } catch (error) {
      result = error instanceof StaleCacheError ? "stale" : "error";
      throw error;
    } finally {
      this.#syncs.inc([result]);
    }
  }

  /** Records how many slices were written for one family of a Service. */
  wrote(count: number, { isAuto, distribution }: { readonly isAuto: boolean; readonly distribution?: string }): void {
    this.#changedSlices.observe(count, [isAuto ? "Auto" : "Disabled", distribution ?? ""]);
  }

  /**
   * Records a Service's traffic distribution, if set.
   * @param key `namespace/name`.
   */
  distributes(key: string, distribution: string | undefined): void {
    const before = this.#distributions.get(key);
    if (before === distribution) return;
    if (before !== undefined) this.#services.set(this.#services.value([before]) - 1, [before]);
    this.#distributions.delete(key);
    if (distribution === undefined) return;
    this.#distributions.set(key, distribution);
    this.#services.set(this.#services.value([distribution]) + 1, [distribution]);
  }
}
