import type { Clock, Counter, Histogram } from "../../base/mod.ts";
import { StatusError } from "../../client/mod.ts";

/** From a millisecond to 16 seconds. */
export const SYNC_BUCKETS_SECONDS: readonly number[] = Array.from({ length: 15 }, (_, n) => 0.001 * 2 ** n);

/** Counts syncs by the code they ended with. Upstream: `pkg/controller/certificates/rootcacertpublisher/metrics.go`. */
export class SyncMetrics {
  readonly #clock: Clock;
  readonly #observe: (code: string, seconds: number) => void;

  /** Both metrics have the label `code`. */
  constructor(clock: Clock, { total, duration }: { readonly total: Counter; readonly duration: Histogram }) {
    this.#clock = clock;
    this.#observe = (code, seconds) => {
      total.inc([code]);
      duration.observe(seconds, [code]);
    };
  }

  /** Runs a sync and counts its result; rejects as it does. */
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
