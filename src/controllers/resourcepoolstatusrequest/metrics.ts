import type { Counter, Histogram, MetricsRegistry } from "../../base/mod.ts";

const PREFIX = "resourcepoolstatusrequest_controller";
const BUCKETS_SECONDS = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);

export const NAMES = {
  processed: `${PREFIX}_requests_processed_total`,
  errors: `${PREFIX}_request_processing_errors_total`,
  duration: `${PREFIX}_request_processing_duration_seconds`,
} as const;

/** How many drivers are distinguished: requesters may invent names. */
const MOST_DRIVERS = 1000;
const OTHER_DRIVER = "";

/**
 * Counts requests, by the drivers that they are about.
 *
 * Contract:
 * 1. A request counts once for each attempt to write its answer, and as an error, too, if that failed.
 * 2. Beyond a thousand drivers further ones are counted together, as one without a name.
 *
 * Upstream: `pkg/controller/resourcepoolstatusrequest/metrics`.
 */
export class RequestMetrics {
  readonly #processed: Counter;
  readonly #errors: Counter;
  readonly #duration: Histogram;
  readonly #drivers = new Set<string>();

  constructor(metrics: MetricsRegistry) {
    const labels = ["driver_name"];
    this.#processed = metrics.counter({
      name: NAMES.processed,
      help: "Total number of ResourcePoolStatusRequests processed",
      labels,
    });
    this.#errors = metrics.counter({
      name: NAMES.errors,
      help: "Total number of errors encountered while processing ResourcePoolStatusRequests",
      labels,
    });
    this.#duration = metrics.histogram({
      name: NAMES.duration,
      help: "Time taken to process a ResourcePoolStatusRequest",
      labels,
      buckets: BUCKETS_SECONDS,
    });
  }

  /** An answer was written, or could not be. */
  processed(driver: string, { isWritten, tookMs }: { readonly isWritten: boolean; readonly tookMs: number }): void {
    const labels = [this.#label(driver)];
    this.#processed.inc(labels);
    if (!isWritten) this.#errors.inc(labels);
    this.#duration.observe(tookMs / 1000, labels);
  }

  #label(driver: string): string {
    if (!this.#drivers.has(driver) && this.#drivers.size >= MOST_DRIVERS) return OTHER_DRIVER;
    this.#drivers.add(driver);
    return driver;
  }
}
