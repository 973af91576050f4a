import type { MetricsRegistry } from "../../base/mod.ts";
import { RUNNING_METRIC } from "../running/mod.ts";

const NAMES = {
  untainted: "node_controller_cloud_provider_taint_removal_delay_seconds",
  synced: "node_controller_initial_node_sync_delay_seconds",
} as const;
/** From one second to about 17 minutes. */
const BUCKETS = [1, 4, 16, 64, 256, 1024];

export const METRICS: readonly string[] = [...Object.values(NAMES), RUNNING_METRIC];

/** How long nodes waited to be initialized. Upstream: `k8s.io/cloud-provider/controllers/node/metrics.go`. */
export interface CloudNodeMetrics {
  untaintedAfter(seconds: number): void;
  syncedAfter(seconds: number): void;
}

export function cloudNodeMetrics(metrics: MetricsRegistry): CloudNodeMetrics {
  const untainted = metrics.histogram({
    name: NAMES.untainted,
    help:
      "Number of seconds after node creation when NodeController removed the cloud-provider taint of a single node.",
    buckets: BUCKETS,
  });
  const synced = metrics.histogram({
    name: NAMES.synced,
    help:
      "Number of seconds after node creation when NodeController finished the initial synchronization of a single node.",
    buckets: BUCKETS,
  });
  return { untaintedAfter: (s) => untainted.observe(s), syncedAfter: (s) => synced.observe(s) };
}
