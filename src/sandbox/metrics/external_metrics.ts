import { formatTime, Quantity, type QuantityValue } from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import { pathNotFound } from "../apiserver/mod.ts";
import { labelsParameter } from "./selectors.ts";
import type { ListedResource, Measured, Measurement, MetricsGroup, MetricsQuery } from "./served_metrics.ts";

/** A time series of a metric outside the cluster. */
export interface ExternalMetric extends Measured {
  readonly metric: string;
  /** Identifies the time series. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The namespace it can be read in; all by default. */
  readonly namespace?: string;
  readonly value: QuantityValue;
}

interface Setting extends Measurement {
  readonly target: ExternalMetric;
}

const API_VERSION = "external.metrics.k8s.io/v1beta1";

/**
 * `external.metrics.k8s.io`: metrics of things outside the cluster.
 *
 * Contract:
 * 1. The last value set for a metric, its labels and a namespace counts.
 * 2. A metric that was never set has no time series; asking for it is not an error.
 *
 * Upstream: `sigs.k8s.io/custom-metrics-apiserver`.
 */
export class ExternalMetrics implements MetricsGroup {
  readonly group = "external.metrics.k8s.io";
  readonly versions = ["v1beta1"];
  readonly #world: World;
  readonly #settings = new Map<string, Setting>();

  constructor({ world }: { readonly world: World }) {
    this.#world = world;
  }

  /** @throws {QuantityError} If the value is invalid. */
  set(target: ExternalMetric): void {
    const { metric, labels = {}, namespace, value, timestamp, windowMs } = target;
    const key = JSON.stringify([metric, namespace, Object.entries(labels).sort()]);
    this.#settings.set(key, { target, value: Quantity.parse(value), timestamp, windowMs });
  }

  clear(): void {
    this.#settings.clear();
  }

  readonly resources = (): readonly ListedResource[] => {
    const names = new Set([...this.#settings.values()].map(({ target }) => target.metric));
    return [...names].map((name) => ({
      name,
      namespaced: true,
      kind: "ExternalMetricValueList",
      verbs: ["get"],
    }));
  };

  read({ path, parameters }: MetricsQuery): object {
    if (path[0] !== "namespaces" || path.length !== 3) throw pathNotFound();
    const [, namespace, metric] = path;
    const selector = labelsParameter(parameters);
    const items = [...this.#settings.values()].filter(({ target }) =>
      target.metric === metric && (target.namespace ?? namespace) === namespace && selector.matches(target.labels)
    ).map(({ target, value, timestamp, windowMs }) => ({
      metricName: metric,
      metricLabels: target.labels ?? {},
      timestamp: formatTime(timestamp?.getTime() ?? this.#world.clock.wallMs()),
      window: windowMs === undefined ? undefined : Math.round(windowMs / 1000),
      value,
    }));
    return { kind: "ExternalMetricValueList", apiVersion: API_VERSION, metadata: {}, items };
  }
}
