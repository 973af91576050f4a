import type { Clock } from "../../../base/mod.ts";
import type { Client, RestMapper } from "../../../client/mod.ts";
import { CustomMetricsVersion } from "./custom_version.ts";
import type { MetricsApi } from "./figures.ts";
import { externalMetrics, objectMetric, podsMetrics } from "./named_metrics.ts";
import { resourceMetrics } from "./resource_metrics.ts";

/** The sources of figures: the APIs of resource, custom and external metrics. */
export type * from "./figures.ts";
export { milliOf } from "./figures.ts";
export { CustomMetricsVersion, type CustomMetricsVersionOptions } from "./custom_version.ts";

/** Options of the metrics APIs. */
export interface MetricsApiOptions {
  readonly clock: Clock;
  readonly client: Pick<Client, "list" | "request">;
  readonly mapper: Pick<RestMapper, "resourceFor">;
  /** How often the custom metrics API's version is refreshed. */
  readonly versionPeriodMs: number;
}

/** The metrics APIs of a server. */
export function metricsApi({ clock, client, mapper, versionPeriodMs }: MetricsApiOptions): MetricsApi {
  const version = new CustomMetricsVersion({ clock, client, periodMs: versionPeriodMs });
  const custom = { client, mapper, version };
  return {
    resourceMetrics: (query) => resourceMetrics(query, client),
    podsMetrics: (query) => podsMetrics(query, custom),
    objectMetric: (query) => objectMetric(query, custom),
    externalMetrics: (query) => externalMetrics(query, client),
  };
}
