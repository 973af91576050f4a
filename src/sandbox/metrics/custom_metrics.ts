import {
  formatTime,
  groupResource,
  parseLabelSelector,
  Quantity,
  type QuantityValue,
  type Resource,
  type Selector,
} from "../../api/mod.ts";
import type { World } from "../../base/mod.ts";
import { ApiError, badRequest, pathNotFound } from "../apiserver/mod.ts";
import type { FindObjects } from "./find_objects.ts";
import { labelsParameter } from "./selectors.ts";
import type { ListedResource, Measured, Measurement, MetricsGroup, MetricsQuery } from "./served_metrics.ts";

/** A metric of objects. */
export interface ObjectMetric extends Measured {
  /** Absent for cluster-scoped kinds. */
  readonly namespace?: string;
  /** A single object; without it, those that `labelSelector` matches, including later ones. */
  readonly name?: string;
  readonly labelSelector?: string;
  readonly metric: string;
  readonly value: QuantityValue;
  /** The labels that a `metricLabelSelector` selects by. */
  readonly metricLabels?: Readonly<Record<string, string>>;
}

interface Setting extends Measurement {
  readonly resource: Resource;
  readonly target: ObjectMetric;
  readonly selector: Selector;
}

interface Asked {
  readonly namespace: string;
  /** For example `pods` or `deployments.apps`. */
  readonly resource: string;
  readonly name: string;
  readonly metric: string;
  readonly metricSelector: Selector;
}

const GROUP = "custom.metrics.k8s.io";

/**
 * `custom.metrics.k8s.io`: metrics of objects, in both versions.
 *
 * Contract:
 * 1. The last value set for an object, a metric and its labels counts.
 * 2. All objects (`*`) are those that exist, match the label selector and have the metric.
 * 3. A metric that no object of the kind has is not found; one that an object does not have is not found for it.
 *
 * Upstream: `sigs.k8s.io/custom-metrics-apiserver`.
 */
export class CustomMetrics implements MetricsGroup {
  readonly group = GROUP;
  readonly versions = ["v1beta2", "v1beta1"];
  readonly #world: World;
  readonly #objects: FindObjects;
  readonly #settings = new Map<string, Setting>();

  constructor({ world, objects }: { readonly world: World; readonly objects: FindObjects }) {
    this.#world = world;
    this.#objects = objects;
  }

  /** @throws {QuantityError | SelectorError} If the value or the selector is invalid. */
  set(resource: Resource, target: ObjectMetric): void {
    const { namespace, name, labelSelector = "", metric, metricLabels, value, timestamp, windowMs } = target;
    const key = JSON.stringify([groupResource(resource), namespace, name, labelSelector, metric, metricLabels]);
    const selector = parseLabelSelector(labelSelector);
    this.#settings.delete(key);
    this.#settings.set(key, { resource, target, selector, value: Quantity.parse(value), timestamp, windowMs });
  }

  clear(): void {
    this.#settings.clear();
  }

  readonly resources = (): readonly ListedResource[] => {
    const found = new Map<string, ListedResource>();
    for (const { resource, target } of this.#settings.values()) {
      const name = `${groupResource(resource)}/${target.metric}`;
      found.set(name, { name, namespaced: resource.namespaced, kind: "MetricValueList", verbs: ["get"] });
    }
    return [...found.values()];
  };

  async read({ version, path, parameters }: MetricsQuery): Promise<object> {
    const metricSelector = labelsParameter(parameters, "metricLabelSelector");
    const asked = { ...askedOf(path), metricSelector };
    const items = asked.name === "*" ? await this.#all(asked, labelsParameter(parameters)) : [await this.#one(asked)];
    return {
      kind: "MetricValueList",
      apiVersion: `${GROUP}/${version}`,
      metadata: {},
      items: items.map(({ name, setting }) => this.#valueOf(version, { name, setting, asked, parameters })),
    };
  }

  async #one(asked: Asked): Promise<Found> {
    const settings = this.#settingsOf(asked);
    const isBySelector = settings.some(({ target }) => target.name === undefined);
    const labels = isBySelector ? await this.#objects.labelsOf(settings[0].resource, asked) : undefined;
    const ofIt = settings.filter(isAbout({ name: asked.name, labels }));
    const what = `the server could not find the metric ${asked.metric} for ${asked.resource} ${asked.name}`;
    if (ofIt.length === 0) throw metricNotFound(what);
    const setting = ofIt.findLast(({ target }) => asked.metricSelector.matches(target.metricLabels));
    if (!setting) throw metricNotFound(`${what} with selector ${asked.metricSelector}`);
    return { name: asked.name, setting };
  }

  async #all(asked: Asked, selector: Selector): Promise<Found[]> {
    const settings = this.#settingsOf(asked);
    if (settings.length === 0) {
      throw metricNotFound(`the server could not find the metric ${asked.metric} for ${asked.resource}`);
    }
    const objects = await this.#objects.list(settings[0].resource, { namespace: asked.namespace, selector });
    return objects.flatMap((object) => {
      const setting = settings.filter(isAbout(object))
        .findLast(({ target }) => asked.metricSelector.matches(target.metricLabels));
      return setting ? [{ name: object.name, setting }] : [];
    });
  }

  /** The values set for the metric and the kind in the namespace. */
  #settingsOf({ namespace, resource, metric }: Asked): Setting[] {
    return [...this.#settings.values()].filter(({ target, resource: kind }) =>
      target.metric === metric && groupResource(kind) === resource && (target.namespace ?? "") === namespace
    );
  }

  #valueOf(
    version: string,
    { name, setting: { resource, value, timestamp, windowMs }, asked, parameters }: Found & {
      readonly asked: Asked;
      readonly parameters: URLSearchParams;
    },
  ): object {
    const { namespace, metric } = asked;
    const described = { kind: resource.kind, ...namespace ? { namespace } : {}, name };
    // Adapters write the slash even without a group.
    const describedObject = { ...described, apiVersion: `${resource.group}/${resource.version}` };
    const selector = parameters.get("metricLabelSelector") ? labelSelectorOf(asked.metricSelector) : null;
    const at = formatTime(timestamp?.getTime() ?? this.#world.clock.wallMs());
    const seconds = windowMs === undefined ? undefined : Math.round(windowMs / 1000);
    if (version === "v1beta1") {
      return { describedObject, metricName: metric, timestamp: at, window: seconds, value, selector };
    }
    return { describedObject, metric: { name: metric, selector }, timestamp: at, windowSeconds: seconds, value };
  }
}

interface Found {
  readonly name: string;
  readonly setting: Setting;
}

function isAbout(
  { name, labels }: { readonly name: string; readonly labels?: Readonly<Record<string, string>> },
): (setting: Setting) => boolean {
  return ({ target, selector }) =>
    target.name === undefined ? labels !== undefined && selector.matches(labels) : target.name === name;
}

/**
 * Parses a path: `namespaces/N/R/NAME/METRIC`, `R/NAME/METRIC`, or `namespaces/N/metrics/METRIC` for a namespace
 * itself.
 *
 * @throws {ApiError} If it has another form.
 */
function askedOf(path: readonly string[]): Omit<Asked, "metricSelector"> {
  if (path[0] === "namespaces" && path[2] === "metrics" && path.length === 4) {
    return { namespace: "", resource: "namespaces", name: path[1], metric: path[3] };
  }
  if (path[0] === "namespaces" && path.length === 5) {
    const [, namespace, resource, name, metric] = path;
    return { namespace, resource, name, metric };
  }
  if (path.length < 3 || (path[0] === "namespaces" && path.length < 5)) throw badRequest("invalid request path");
  if (path.length > 3) throw pathNotFound();
  const [resource, name, metric] = path;
  return { namespace: "", resource, name, metric };
}

function metricNotFound(message: string): ApiError {
  return new ApiError(404, "NotFound", message);
}

const OPERATORS: Readonly<Record<string, string>> = {
  "in": "In",
  "notin": "NotIn",
  "!=": "NotIn",
  "exists": "Exists",
  "!": "DoesNotExist",
};

/** The selector as a LabelSelector. Upstream: `metav1.ParseToLabelSelector`. */
function labelSelectorOf({ requirements }: Selector): object {
  const equal = requirements.filter(({ operator }) => operator === "=" || operator === "==");
  const others = requirements.filter((requirement) => !equal.includes(requirement));
  const matchLabels = Object.fromEntries(equal.map(({ key, values }) => [key, values[0]]));
  const matchExpressions = others.map(({ key, operator, values }) => ({
    key,
    operator: OPERATORS[operator],
    ...values.length > 0 ? { values } : {},
  }));
  return {
    ...equal.length > 0 ? { matchLabels } : {},
    ...others.length > 0 ? { matchExpressions } : {},
  };
}
