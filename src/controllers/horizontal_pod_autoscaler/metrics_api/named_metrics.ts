import { errorText } from "../../../base/mod.ts";
import {
  type AutoscalingV2CrossVersionObjectReference,
  groupResource,
  parseApiVersion,
  type QuantityValue,
  type Resource,
  type Time,
} from "../../../api/mod.ts";
import type { Client, RestMapper } from "../../../client/mod.ts";
import type { CustomMetricsVersion } from "./custom_version.ts";
import {
  type ExternalMetricQuery,
  fetched,
  milliOf,
  type ObjectMetricQuery,
  type PodMetrics,
  type PodsMetricQuery,
  segment,
  someOf,
  takenMs,
} from "./figures.ts";

/** A value in either version of the API. */
interface MetricValue {
  readonly describedObject?: { readonly name?: string };
  readonly timestamp?: Time;
  readonly windowSeconds?: number;
  /** The same in v1beta1. */
  readonly window?: number;
  readonly value?: QuantityValue;
}

interface MetricValueList {
  readonly items?: readonly MetricValue[];
}

/** The context of custom metrics queries. */
export interface CustomMetricsContext {
  readonly client: Pick<Client, "request">;
  readonly mapper: Pick<RestMapper, "resourceFor">;
  readonly version: Pick<CustomMetricsVersion, "current">;
}

interface Question {
  readonly namespace: string;
  /** With its group, as in `ingresses.networking.k8s.io`. */
  readonly resource: string;
  readonly name: string;
  readonly metric?: string;
  readonly query: Readonly<Record<string, string>>;
}

const DEFAULT_WINDOW_SECONDS = 60;

/**
 * A metric of each pod.
 *
 * @throws {Error} If there is no data for any pod.
 */
export async function podsMetrics(
  { metric, namespace, selector, metricSelector }: PodsMetricQuery,
  context: CustomMetricsContext,
): Promise<PodMetrics> {
  const query = { labelSelector: selector.toString(), metricLabelSelector: metricSelector.toString() };
  const { items } = await fetched("custom", async () => {
    const resource = await qualifiedResource({ kind: "Pod", name: "" }, context);
    return await ask({ namespace, resource, name: "*", metric, query }, context);
  });
  return new Map(
    someOf("custom", items).map(({ describedObject, timestamp, windowSeconds, window, value }) => [
      describedObject?.name ?? "",
      {
        value: milliOf(value),
        timestampMs: takenMs(timestamp),
        windowMs: (windowSeconds ?? window ?? DEFAULT_WINDOW_SECONDS) * 1000,
      },
    ]),
  );
}

/** A metric of one object, in thousandths. */
export function objectMetric(
  { metric, namespace, object, metricSelector }: ObjectMetricQuery,
  context: CustomMetricsContext,
): Promise<bigint> {
  const query = { metricLabelSelector: metricSelector.toString() };
  return fetched("custom", async () => {
    // A namespace can only be the autoscaler's own, and its metrics have a separate path.
    const { items = [] } = isNamespace(object)
      ? await ask({ namespace, resource: "metrics", name: metric, query }, context)
      : await ask({
        namespace,
        resource: await qualifiedResource(object, context),
        name: object.name,
        metric,
        query,
      }, context);
    if (items.length !== 1) {
      throw new Error(
        `the custom metrics API server returned ${items.length} results when we asked for exactly one`,
      );
    }
    return milliOf(items[0].value);
  });
}

function isNamespace({ apiVersion = "", kind }: AutoscalingV2CrossVersionObjectReference): boolean {
  return kind === "Namespace" && groupOf(apiVersion) === "";
}

async function qualifiedResource(
  { apiVersion = "", kind }: AutoscalingV2CrossVersionObjectReference,
  { mapper }: CustomMetricsContext,
): Promise<string> {
  const group = groupOf(apiVersion);
  try {
    return groupResource(await mapper.resourceFor({ group, kind }));
  } catch (error) {
    const what = group ? `${kind}.${group}` : kind;
    throw new Error(`unable to map kind ${what} to resource: ${errorText(error)}`, { cause: error });
  }
}

/** A malformed apiVersion has no group, as upstream. */
function groupOf(apiVersion: string): string {
  return apiVersion.split("/").length > 2 ? "" : parseApiVersion(apiVersion).group;
}

async function ask(
  { namespace, resource, name, metric, query }: Question,
  { client, version }: CustomMetricsContext,
): Promise<MetricValueList> {
  const apiVersion = await version.current();
  const segments = [resource, name, ...metric === undefined ? [] : [metric]].map(segment);
  const path = `/apis/${apiVersion}/namespaces/${segment(namespace)}/${segments.join("/")}`;
  const subject: Resource = { ...parseApiVersion(apiVersion), plural: resource, kind: "", namespaced: true };
  return await client.request<MetricValueList>("GET", path, { query, resource: subject, name });
}

interface ExternalMetricValueList {
  readonly items?: readonly { readonly value?: QuantityValue }[];
}

const VERSION = { group: "external.metrics.k8s.io", version: "v1beta1" };

/**
 * The values of an external metric by series, in thousandths.
 *
 * @throws {Error} If there is no data for it.
 */
export async function externalMetrics(
  { metric, namespace, metricSelector }: ExternalMetricQuery,
  client: Pick<Client, "request">,
): Promise<readonly bigint[]> {
  const path = `/apis/${VERSION.group}/${VERSION.version}/namespaces/${segment(namespace)}/${segment(metric)}`;
  const resource: Resource = { ...VERSION, plural: metric, kind: "", namespaced: true };
  const query = { labelSelector: metricSelector.toString() };
  const { items } = await fetched(
    "external",
    () => client.request<ExternalMetricValueList>("GET", path, { query, resource }),
  );
  return someOf("external", items).map(({ value }) => milliOf(value));
}
