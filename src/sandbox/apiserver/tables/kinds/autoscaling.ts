import type { AutoscalingV2HorizontalPodAutoscaler } from "../../../../api/mod.ts";
import { AGE, type Column, firstOf, NAME, NONE, text, UNKNOWN, UNSET } from "../columns/mod.ts";

type Autoscaler = AutoscalingV2HorizontalPodAutoscaler;
type Metric = NonNullable<NonNullable<Autoscaler["spec"]>["metrics"]>[number];
type MetricStatus = NonNullable<NonNullable<Autoscaler["status"]>["currentMetrics"]>[number];
type Amount = string | number;

interface Values {
  readonly value?: Amount;
  readonly averageValue?: Amount;
  readonly averageUtilization?: number;
}

/** How many metrics are shown before the rest is only counted. */
const SHOWN = 2;

/** A raw amount, which is an average if the target is. */
function amountText(target: Values | undefined, current: Values | undefined): string {
  if (target?.averageValue === undefined) return `${current ? current.value ?? "0" : UNKNOWN}/${target?.value ?? "0"}`;
  return `${current?.averageValue ?? UNKNOWN}/${target.averageValue} (avg)`;
}

/** The amount or utilization of a resource, with its name. */
function resourceText(name: string, target: Values | undefined, current: Values | undefined): string {
  if (target?.averageValue !== undefined) {
    return `${name}: ${current ? current.averageValue ?? "0" : UNKNOWN}/${target.averageValue}`;
  }
  const percent = (value: number | undefined, otherwise: string) => value === undefined ? otherwise : `${value}%`;
  return `${name}: ${percent(current?.averageUtilization, UNKNOWN)}/${percent(target?.averageUtilization, "<auto>")}`;
}

function metricText(metric: Metric, status: MetricStatus | undefined): string {
  switch (metric.type) {
    case "External":
      return amountText(metric.external?.target, status?.external?.current);
    case "Object":
      return amountText(metric.object?.target, status?.object?.current);
    case "Pods": {
      const current = status?.pods ? status.pods.current.averageValue ?? "0" : UNKNOWN;
      return `${current}/${metric.pods?.target.averageValue ?? "0"}`;
    }
    case "Resource":
      return resourceText(metric.resource?.name ?? "", metric.resource?.target, status?.resource?.current);
    case "ContainerResource": {
      const { name = "", target } = metric.containerResource ?? {};
      return resourceText(name, target, status?.containerResource?.current);
    }
  }
  return "<unknown type>";
}

function metricsText({ spec, status }: Autoscaler): string {
  const metrics = spec?.metrics ?? [];
  if (metrics.length === 0) return NONE;
  return firstOf(metrics.map((metric, i) => metricText(metric, status?.currentMetrics?.[i])), SHOWN, ", ");
}

export const horizontalPodAutoscalers: readonly Column<Autoscaler>[] = [
  NAME,
  text("Reference", ({ spec }) => `${spec?.scaleTargetRef?.kind ?? ""}/${spec?.scaleTargetRef?.name ?? ""}`),
  text("Targets", metricsText),
  text("MinPods", ({ spec }) => String(spec?.minReplicas ?? UNSET)),
  text("MaxPods", "spec.maxReplicas", 0),
  text("Replicas", "status.currentReplicas", 0),
  AGE,
];
