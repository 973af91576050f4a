import type { QuantityValue, Resource } from "../../../api/mod.ts";
import type { Client } from "../../../client/mod.ts";
import { fetched, milliOf, segment, someOf } from "./figures.ts";
import type { ExternalMetricQuery } from "./types.ts";

interface ExternalMetricValueList {
  readonly items?: readonly { readonly value?: QuantityValue }[];
}

const VERSION = { group: "external.metrics.k8s.io", version: "v1beta1" };

/**
 * What a metric of something outside the cluster says, series by series, in thousandths.
 *
 * @throws {Error} If nothing is known of it.
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
