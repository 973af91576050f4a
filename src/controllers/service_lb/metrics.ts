import type { Counter, Histogram, MetricsRegistry } from "../../base/mod.ts";
import { RUNNING_METRIC } from "../running/mod.ts";

const PREFIX = "service_controller_";
const NAMES = {
  updates: `${PREFIX}loadbalancer_sync_total`,
  nodeErrors: `${PREFIX}nodesync_error_total`,
  nodeSync: `${PREFIX}nodesync_latency_seconds`,
  update: `${PREFIX}update_loadbalancer_host_latency_seconds`,
} as const;

export const METRICS: readonly string[] = [...Object.values(NAMES), RUNNING_METRIC];

/** From a second to four and a half hours. */
const BUCKETS = Array.from({ length: 15 }, (_, i) => 2 ** i);

/** Upstream: `k8s.io/cloud-provider/controllers/service/metrics.go`. */
export interface BalancerMetrics {
  /** Every time a balancer was given new nodes. */
  readonly updates: Counter;
  readonly nodeErrors: Counter;
  readonly nodeSyncSeconds: Histogram;
  readonly updateSeconds: Histogram;
}

export function balancerMetrics(metrics: MetricsRegistry): BalancerMetrics {
  return {
    updates: metrics.counter({
      name: NAMES.updates,
      help:
        "A metric counting the amount of times any load balancer has been configured, as an effect of service/node changes on the cluster",
    }),
    nodeErrors: metrics.counter({
      name: NAMES.nodeErrors,
      help:
        "A metric counting the amount of times any load balancer has been configured and errored, as an effect of node changes on the cluster",
    }),
    nodeSyncSeconds: metrics.histogram({
      name: NAMES.nodeSync,
      help: "A metric measuring the latency for nodesync which updates loadbalancer hosts on cluster node updates.",
      buckets: BUCKETS,
    }),
    updateSeconds: metrics.histogram({
      name: NAMES.update,
      help: "A metric measuring the latency for updating each load balancer hosts.",
      buckets: BUCKETS,
    }),
  };
}
