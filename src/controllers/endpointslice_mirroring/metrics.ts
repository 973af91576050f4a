import type { Clock, Histogram, MetricsRegistry } from "../../base/mod.ts";

const SUBSYSTEM = "endpoint_slice_mirroring_controller";
const COUNT_BUCKETS = Array.from({ length: 15 }, (_, n) => 2 * 2 ** n);
const SECONDS_BUCKETS = Array.from({ length: 15 }, (_, n) => 0.001 * 2 ** n);

/** The metrics of mirroring only. Upstream: `pkg/controller/endpointslicemirroring/metrics`. */
export class MirroringMetrics {
  readonly #clock: Clock;
  readonly #updated: Histogram;
  readonly #skipped: Histogram;
  readonly #duration: Histogram;

  constructor(metrics: MetricsRegistry, clock: Clock) {
    this.#clock = clock;
    this.#updated = metrics.histogram({
      name: `${SUBSYSTEM}_endpoints_updated_per_sync`,
      help: "Number of endpoints updated on each Endpoints sync",
      buckets: COUNT_BUCKETS,
    });
    this.#skipped = metrics.histogram({
      name: `${SUBSYSTEM}_addresses_skipped_per_sync`,
      help:
        "Number of addresses skipped on each Endpoints sync due to being invalid or exceeding MaxEndpointsPerSubset",
      buckets: COUNT_BUCKETS,
    });
    this.#duration = metrics.histogram({
      name: `${SUBSYSTEM}_endpoints_sync_duration`,
      help: "Duration of syncEndpoints() in seconds",
      buckets: SECONDS_BUCKETS,
    });
  }

  /** Runs a sync and measures it; rejects as it does. */
  async run(sync: () => Promise<void>): Promise<void> {
    const startMs = this.#clock.monotonicMs();
    try {
      await sync();
    } finally {
      this.#duration.observe(Math.floor(this.#clock.monotonicMs() - startMs) / 1000);
    }
  }

  /** Records how many addresses of one Endpoints were left out. */
  skipped(addresses: number): void {
    this.#skipped.observe(addresses);
  }

  /** Records how many endpoints of one Endpoints were updated. */
  updated(endpoints: number): void {
    this.#updated.observe(endpoints);
  }
}
