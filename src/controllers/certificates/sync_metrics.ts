import type { Clock, MetricsRegistry } from "../../base/mod.ts";
import { StatusError } from "../../client/mod.ts";

const BUCKETS_SECONDS = Array.from({ length: 15 }, (_, n) => 0.001 * 2 ** n);

/** What the metrics of a publisher are called. */
export interface SyncMetricsOptions {
  readonly metrics: MetricsRegistry;
  readonly clock: Clock;
  /** Before `_sync_total` and `_sync_duration_seconds`. */
  readonly prefix: string;
  readonly totalHelp: string;
  readonly durationHelp: string;
}

/** Counts syncs by the code they ended with. Upstream: `pkg/controller/certificates/rootcacertpublisher/metrics.go`. */
export class SyncMetrics {
  readonly #clock: Clock;
  readonly #observe: (code: string, seconds: number) => void;

  constructor({ metrics, clock, prefix, totalHelp, durationHelp }: SyncMetricsOptions) {
    this.#clock = clock;
    const total = metrics.counter({ name: `${prefix}_sync_total`, help: totalHelp, labels: ["code"] });
    const duration = metrics.histogram({
      name: `${prefix}_sync_duration_seconds`,
      help: durationHelp,
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
