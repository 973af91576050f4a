import type { Clock, Counter, Gauge, Histogram, MetricsRegistry } from "../../base/mod.ts";
import { CSI_PLUGIN, type VolumePlugin, type VolumeSpec } from "../volumes/mod.ts";

export const TOTAL_VOLUMES = "attachdetach_controller_total_volumes";
export const IN_USE = "storage_count_attachable_volumes_in_use";
export const FORCED = "attach_detach_controller_attachdetach_controller_forced_detaches";
export const DURATIONS = "storage_operation_duration_seconds";
const DURATION_BUCKETS = [.1, .25, .5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];

/** Upstream: `attachdetach/metrics`, and `pkg/volume/util/metrics.go`. */
export class AttachMetrics {
  readonly forced: Pick<Counter, "inc">;
  readonly inUse: Gauge;
  readonly #total: Gauge;
  readonly #durations: Histogram;
  readonly #clock: Clock;

  constructor(metrics: MetricsRegistry, clock: Clock) {
    this.#clock = clock;
    this.#total = metrics.gauge({
      name: TOTAL_VOLUMES,
      help: "Number of volumes in A/D Controller",
      labels: ["plugin_name", "state"],
    });
    this.inUse = metrics.gauge({
      name: IN_USE,
      help: "Measure number of volumes in use",
      labels: ["node", "volume_plugin"],
    });
    this.forced = metrics.counter({
      name: FORCED,
      help: "Number of times the A/D Controller performed a forced detach",
      labels: ["reason"],
    });
    this.#durations = metrics.histogram({
      name: DURATIONS,
      help: "Storage operation duration",
      labels: ["volume_plugin", "operation_name", "status", "migrated"],
      buckets: DURATION_BUCKETS,
    });
  }

  count(state: "desired_state_of_world" | "actual_state_of_world", plugin: string, by: number): void {
    this.#total.inc([plugin, state], by);
  }

  /** Measures an operation. @throws What it throws. */
  async timed<T>(
    { plugin, name, isMigrated }: { readonly plugin: string; readonly name: string; readonly isMigrated: boolean },
    operation: () => Promise<T>,
  ): Promise<T> {
    const begunMs = this.#clock.monotonicMs();
    let status = "fail-unknown";
    try {
      const answer = await operation();
      status = "success";
      return answer;
    } finally {
      const seconds = (this.#clock.monotonicMs() - begunMs) / 1000;
      this.#durations.observe(seconds, [plugin, name, status, String(isMigrated)]);
    }
  }
}

/** A plug-in's name in metrics, where each CSI driver counts as one. */
export function pluginLabel({ name }: Pick<VolumePlugin, "name">, spec: VolumeSpec | undefined): string {
  const csi = spec?.from === "volume" ? spec.persistentVolume.spec?.csi : spec?.volume.csi;
  return name === CSI_PLUGIN.name && csi ? `${name}:${csi.driver}` : name;
}
