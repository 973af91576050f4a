import type { Counter, Gauge, Histogram, MetricsRegistry } from "../../base/mod.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/mod.ts";
import { storageClassOf } from "../../rules/mod.ts";
import { volumeModeOf, type VolumePlugins } from "../volumes/mod.ts";

const COUNTS = {
  volumes: "pv_collector_total_pv_count",
  boundVolumes: "pv_collector_bound_pv_count",
  unboundVolumes: "pv_collector_unbound_pv_count",
  boundClaims: "pv_collector_bound_pvc_count",
  unboundClaims: "pv_collector_unbound_pvc_count",
};
const ERRORS = "volume_operation_errors_total";
const OLD_ERRORS = "volume_operation_total_errors";
const RETROACTIVE = "retroactive_storageclass_total";
const RETROACTIVE_ERRORS = "retroactive_storageclass_errors_total";
const TOTAL_SECONDS = "volume_operation_total_seconds";
const STORAGE_SECONDS = "storage_operation_duration_seconds";

export const METRICS = [
  ...Object.values(COUNTS),
  ERRORS,
  OLD_ERRORS,
  RETROACTIVE,
  RETROACTIVE_ERRORS,
  TOTAL_SECONDS,
  STORAGE_SECONDS,
];

const OPERATION_LABELS = ["plugin_name", "operation_name"];
const BUCKETS = [.1, .25, .5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];
export const NOT_AVAILABLE = "N/A";

/** Upstream: `pkg/controller/volume/persistentvolume/metrics`, `pkg/volume/util/metrics.go`. */
export interface BinderMetrics {
  /** Operations that failed, under both of their names. */
  readonly errors: readonly Pick<Counter, "inc">[];
  /** From the first attempt to the end. */
  readonly totalSeconds: Pick<Histogram, "observe">;
  /** Each attempt of a plug-in. */
  readonly storageSeconds: Pick<Histogram, "observe">;
  /** Claims that were given the default class later. */
  readonly retroactive: Pick<Counter, "inc">;
  readonly retroactiveErrors: Pick<Counter, "inc">;
}

export function binderMetrics(metrics: MetricsRegistry): BinderMetrics {
  const errors = { help: "Total volume operation errors", labels: OPERATION_LABELS };
  return {
    errors: [ERRORS, OLD_ERRORS].map((name) => metrics.counter({ ...errors, name })),
    totalSeconds: metrics.histogram({
      name: TOTAL_SECONDS,
      help: "Storage operation end to end duration in seconds",
      labels: OPERATION_LABELS,
      buckets: BUCKETS,
    }),
    storageSeconds: metrics.histogram({
      name: STORAGE_SECONDS,
      help: "Storage operation duration",
      labels: ["volume_plugin", "operation_name", "status", "migrated"],
      buckets: BUCKETS,
    }),
    retroactive: metrics.counter({
      name: RETROACTIVE,
      help: "Total number of retroactive StorageClass assignments to persistent volume claim",
    }),
    retroactiveErrors: metrics.counter({
      name: RETROACTIVE_ERRORS,
      help: "Total number of failed retroactive StorageClass assignments to persistent volume claim",
    }),
  };
}

type Change<T> = (before: T | undefined, after: T | undefined) => void;

/** Counts the volumes of a cache, by what serves them and by whether they are bound. */
export function volumeCounts(
  metrics: MetricsRegistry,
  plugins: Pick<VolumePlugins, "find">,
): Change<PersistentVolume> {
  const gauge = (name: string, what: string) =>
    metrics.gauge({
      name,
      help: `Gauge measuring number of persistent volume currently ${what}`,
      labels: ["storage_class"],
    });
  const total = metrics.gauge({
    name: COUNTS.volumes,
    help: "Gauge measuring total number of persistent volumes",
    labels: ["plugin_name", "volume_mode"],
  });
  const [bound, unbound] = [gauge(COUNTS.boundVolumes, "bound"), gauge(COUNTS.unboundVolumes, "unbound")];
  return counting((volume, by) => {
    add(total, [pluginOf(volume, plugins), volumeModeOf(volume.spec)], by);
    add(volume.status?.phase === "Bound" ? bound : unbound, [volume.spec?.storageClassName ?? ""], by);
  });
}

/** Counts the claims of a cache by whether they are bound. */
export function claimCounts(metrics: MetricsRegistry): Change<PersistentVolumeClaim> {
  const gauge = (name: string, what: string) =>
    metrics.gauge({
      name,
      help: `Gauge measuring number of persistent volume claim currently ${what}`,
      labels: ["namespace", "storage_class", "volume_attributes_class"],
    });
  const [bound, unbound] = [gauge(COUNTS.boundClaims, "bound"), gauge(COUNTS.unboundClaims, "unbound")];
  return counting((claim, by) => {
    const attributesClass = claim.spec?.volumeAttributesClassName ?? "";
    const labels = [claim.metadata?.namespace ?? "", storageClassOf(claim), attributesClass];
    add(claim.status?.phase === "Bound" ? bound : unbound, labels, by);
  });
}

function counting<T>(count: (object: T, by: number) => void): Change<T> {
  return (before, after) => {
    if (before) count(before, -1);
    if (after) count(after, 1);
  };
}

/** Labels name what tenants make: of what is gone there is no series. */
function add(gauge: Gauge, labels: readonly string[], by: number): void {
  gauge.inc(labels, by);
  if (gauge.value(labels) === 0) gauge.remove(labels);
}

function pluginOf(persistentVolume: PersistentVolume, plugins: Pick<VolumePlugins, "find">): string {
  return plugins.find({ from: "volume", persistentVolume, readOnly: true })?.name ?? NOT_AVAILABLE;
}
