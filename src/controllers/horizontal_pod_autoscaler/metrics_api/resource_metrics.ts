import { type KubeObject, parseDuration, type QuantityValue, type Resource, type Time } from "../../../api/mod.ts";
import type { Client } from "../../../client/mod.ts";
import { fetched, milliOf, type PodMetrics, type ResourceMetricQuery, someOf, takenMs } from "./figures.ts";

interface ContainerUsage {
  readonly name: string;
  readonly usage?: Readonly<Record<string, QuantityValue>>;
}

/** A pod's usage in `metrics.k8s.io`. */
interface PodUsage extends KubeObject {
  readonly timestamp?: Time;
  /** As Go writes durations. */
  readonly window?: string;
  readonly containers?: readonly ContainerUsage[];
}

const POD_METRICS: Resource<PodUsage> = {
  group: "metrics.k8s.io",
  version: "v1beta1",
  plural: "pods",
  kind: "PodMetrics",
  namespaced: true,
};

/**
 * Pods' usage of a resource. A pod is left out if one of its containers, or the requested container, has no data.
 *
 * @throws {Error} If there is no data for any pod.
 */
export async function resourceMetrics(
  { resource, namespace, selector, container }: ResourceMetricQuery,
  client: Pick<Client, "list">,
): Promise<PodMetrics> {
  const { items } = await fetched(
    "resource",
    () => client.list(POD_METRICS, { namespace, labelSelector: selector.toString() }),
  );
  const metrics = new Map<string, { value: bigint; timestampMs: number; windowMs: number }>();
  for (const { metadata, timestamp, window, containers = [] } of someOf("resource", items)) {
    const counted = container ? containers.filter(({ name }) => name === container).slice(0, 1) : containers;
    const usages = counted.map(({ usage = {} }) => Object.hasOwn(usage, resource) ? usage[resource] : undefined);
    if (usages.length === 0 || usages.includes(undefined)) continue;
    const value = usages.reduce((sum, usage) => BigInt.asIntN(64, sum + milliOf(usage)), 0n);
    const windowMs = window ? parseDuration(window) : 0;
    metrics.set(metadata?.name ?? "", { value, timestampMs: takenMs(timestamp), windowMs });
  }
  return metrics;
}
