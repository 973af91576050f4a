import type { Histogram, MetricsRegistry } from "../../base/mod.ts";

export const DURATIONS = "storage_operation_duration_seconds";

/** How long the resizes of volumes took. Upstream: `pkg/volume/util/metrics.go`. */
export function operationTimes(metrics: MetricsRegistry): Histogram {
  return metrics.histogram({
    name: DURATIONS,
    help: "Storage operation duration",
    labels: ["volume_plugin", "operation_name", "status", "migrated"],
    buckets: [.1, .25, .5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600],
  });
}
