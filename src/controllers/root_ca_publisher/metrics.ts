import type { Clock, MetricsRegistry } from "../../base/mod.ts";
import { StatusError } from "../../client/mod.ts";

const BUCKETS_SECONDS = Array.from({ length: 15 }, (_, n) => 0.001 * 2 ** n);

/** Counts syncs by the code they ended with. Upstream: `pkg/controller/certificates/rootcacertpublisher/metrics.go`. */
export class PublicationMetrics {
  readonly #clock: Clock;
  readonly #observe: (code: string, seconds: number) => void;

  constructor(metrics: MetricsRegistry, clock: Clock) {
    this.#clock = clock;
    const total = metrics.counter({
      name: "root_ca_cert_publisher_sync_total",
      help: "Number of namespace syncs happened in root ca cert publisher.",
      labels: ["code"],
    });
    const duration = metrics.histogram({
      name: "root_ca_cert_publisher_sync_duration_seconds",
      help: "Number of namespace syncs happened in root ca cert publisher.",
      labels: ["code"],
      buckets: BUCKETS_SECONDS,
    });
    this.#observe = (code, seconds) => {
      total.inc([code]);
      duration.observe(seconds, [code]);
    };
  }

  /** Runs a sync and counts how it ended; rejects as it does. */
  async run(sync: () => Promise<void>): Promise<void> {
    const startMs = this.#clock.monotonicMs();
    let failure: unknown;
    try {
      await sync();
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      this.#observe(codeOf(failure), (this.#clock.monotonicMs() - startMs) / 1000);
    }
  }
}

function codeOf(error: unknown): string {
  if (error === undefined) return "200";
  return error instanceof StatusError && error.code ? String(error.code) : "500";
}
