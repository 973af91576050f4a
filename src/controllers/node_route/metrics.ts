import type { MetricsRegistry } from "../../base/mod.ts";
import { RUNNING_METRIC } from "../running/mod.ts";

const PASSES = "route_controller_route_sync_total";

export const METRICS: readonly string[] = [PASSES, RUNNING_METRIC];

/** Counts passes. Upstream: `k8s.io/cloud-provider/controllers/route/metrics.go`. */
export function passCounter(metrics: MetricsRegistry): () => void {
  const passes = metrics.counter({
    name: PASSES,
    help: "A metric counting the amount of times routes have been synced with the cloud provider.",
  });
  return () => passes.inc();
}
