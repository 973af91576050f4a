import type { Clock } from "../../../base/mod.ts";
import type { Client, RestMapper } from "../../../client/mod.ts";
import { CustomMetricsVersion } from "./custom_version.ts";
import type { MetricsApi } from "./figures.ts";
import { externalMetrics, objectMetric, podsMetrics } from "./named_metrics.ts";
import { resourceMetrics } from "./resource_metrics.ts";

/** Where figures come from: the APIs of resource, custom and external metrics. */
export type * from "./figures.ts";
export { milliOf } from "./figures.ts";
export { CustomMetricsVersion, type CustomMetricsVersionOptions } from "./custom_version.ts";

/** What the metrics APIs are asked with. */
export interface MetricsApiOptions {
  readonly clock: Clock;
  readonly client: Pick<Client, "list" | "request">;
  readonly mapper: Pick<RestMapper, "resourceFor">;
  /** How often the version of the API of custom metrics is looked up anew. */
  readonly versionPeriodMs: number;
}

/** The APIs as a server has them. */
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
