import type { Counter, MetricsRegistry } from "../../base/mod.ts";

export const CREATES = "ephemeral_volume_controller_create_total";
export const CREATE_FAILURES = "ephemeral_volume_controller_create_failures_total";

/** Counts requests to create a claim; a failed one is in both counters. */
export interface CreationMetrics {
  readonly creates: Pick<Counter, "inc">;
  readonly failures: Pick<Counter, "inc">;
}

/** Upstream: `pkg/controller/volume/ephemeral/metrics`, whose two help texts are the same. */
export function creationMetrics(metrics: MetricsRegistry): CreationMetrics {
  const help = "Number of PersistentVolumeClaim creation requests";
  return {
    creates: metrics.counter({ name: CREATES, help }),
    failures: metrics.counter({ name: CREATE_FAILURES, help }),
  };
}
