/** Evictions: marking, deleting and counting. */
export { evictionMetricNames, EvictionMetrics, type EvictionMetricsOptions } from "./metrics.ts";
export { type EvictingContext, type EvictionWords, markAndDelete } from "./mark_and_delete.ts";
