/** Ending pods for the cluster's sake: what is said of them, and what is counted. */
export { evictionMetricNames, EvictionMetrics, type EvictionMetricsOptions } from "./metrics.ts";
export { type EvictingContext, type EvictionWords, markAndDelete } from "./mark_and_delete.ts";
