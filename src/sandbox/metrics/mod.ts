/** Resource usage and other metrics, as autoscalers and `kubectl top` read them. */
export { METRICS_SERVICE, metricsApiServices, type MetricsServiceOptions } from "./api_services.ts";
export type { ObjectMetric } from "./custom_metrics.ts";
export type { ExternalMetric } from "./external_metrics.ts";
export * from "./metrics_api.ts";
export type { Measured } from "./served_metrics.ts";
export type { NodeUsage, PodUsage, UsageAmounts } from "./usage_settings.ts";
