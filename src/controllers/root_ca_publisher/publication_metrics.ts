import type { MetricsRegistry } from "../../base/mod.ts";
import { StatusError } from "../../client/mod.ts";

const BUCKETS_SECONDS = Array.from({ length: 15 }, (_, n) => 0.001 * 2 ** n);

/** Counts syncs by the code they ended with. Upstream: `pkg/controller/certificates/rootcacertpublisher/metrics.go`. */
export class PublicationMetrics {
  readonly #observe: (code: string, seconds: number) => void;

  constructor(metrics: MetricsRegistry) {
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

  /** @param error What the sync failed with, or `undefined` if it did not. */
  record(error: unknown, durationMs: number): void {
    this.#observe(codeOf(error), durationMs / 1000);
  }
}

function codeOf(error: unknown): string {
  if (error === undefined) return "200";
  return error instanceof StatusError && error.code ? String(error.code) : "500";
}
