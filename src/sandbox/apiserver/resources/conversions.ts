import { apiVersionOf } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import type { Conversion, ServedResource } from "./served.ts";

type Fields = Record<string, unknown>;

/** The names of an event's fields in v1 and in events.k8s.io/v1. */
const EVENT_FIELDS: ReadonlyArray<readonly [core: string, events: string]> = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
];

function rename(object: StoredObject, names: ReadonlyArray<readonly [from: string, to: string]>): StoredObject {
  const known = new Map(names);
  const out: Fields = {};
  for (const [key, value] of Object.entries(object)) out[known.get(key) ?? key] = value;
  return out as StoredObject;
}

interface CpuMetric {
  readonly type: string;
  readonly resource?: { readonly name: string; readonly target?: Fields; readonly current?: Fields };
}

function cpuOf(metrics: unknown): CpuMetric["resource"] {
  const list = Array.isArray(metrics) ? metrics as CpuMetric[] : [];
  return list.find(({ type, resource }) => type === "Resource" && resource?.name === "cpu")?.resource;
}

/** autoscaling/v1 only knows cpu utilization; other metrics do not survive a write through it. */
const autoscalingV1: Conversion = {
  toStorage(object) {
    const { targetCPUUtilizationPercentage: target, ...spec } = object.spec as Fields;
    const { currentCPUUtilizationPercentage: current, ...status } = object.status as Fields;
    const metric = (values: Fields) => [{ type: "Resource", resource: { name: "cpu", ...values } }];
    if (target !== undefined) spec.metrics = metric({ target: { type: "Utilization", averageUtilization: target } });
    if (current !== undefined) status.currentMetrics = metric({ current: { averageUtilization: current } });
    return { ...object, spec, status };
  },
  fromStorage(object) {
    const { metrics, behavior: _behavior, ...spec } = object.spec as Fields;
    const { currentMetrics, conditions: _conditions, ...status } = object.status as Fields;
    const target = cpuOf(metrics)?.target?.averageUtilization;
    const current = cpuOf(currentMetrics)?.current?.averageUtilization;
    if (target !== undefined) spec.targetCPUUtilizationPercentage = target;
    if (current !== undefined) status.currentCPUUtilizationPercentage = current;
    return { ...object, spec, status };
  },
};

const eventsV1: Conversion = {
  toStorage: (object) => rename(object, EVENT_FIELDS.map(([core, events]) => [events, core] as const)),
  fromStorage: (object) => rename(object, EVENT_FIELDS),
};

/** Versions other than the stored one, as `plural.group/version`, with their collection and stored type. */
export const CONVERSIONS: Readonly<
  Record<string, Conversion & { readonly collection: string; readonly storedAs: string } | undefined>
> = {
  "events.events.k8s.io/v1": { ...eventsV1, collection: "events", storedAs: "core.v1.Event" },
  "horizontalpodautoscalers.autoscaling/v1": {
    ...autoscalingV1,
    collection: "horizontalpodautoscalers.autoscaling",
    storedAs: "autoscaling.v2.HorizontalPodAutoscaler",
  },
};

export function inServedVersion(served: ServedResource, object: StoredObject): StoredObject {
  const converted = served.conversion ? served.conversion.fromStorage(object) : object;
  return { apiVersion: apiVersionOf(served), kind: served.kind, ...converted };
}
