import type { MetricsRegistry } from "../../base/mod.ts";
import type { StatefulSet } from "../../api/mod.ts";

const LABELS = ["statefulset_namespace", "statefulset_name", "pod_management_policy"];

/** The gauges that are set if the gate `MaxUnavailableStatefulSet` is on. */
export class UnavailableGauges {
  readonly #most;
  readonly #now;

  constructor(metrics: MetricsRegistry) {
    this.#most = metrics.gauge({
      name: "statefulset_controller_statefulset_max_unavailable",
      help: "Maximum number of unavailable pods allowed during StatefulSet rolling updates",
      labels: LABELS,
    });
    this.#now = metrics.gauge({
      name: "statefulset_controller_statefulset_unavailable_replicas",
      help: "Current number of unavailable pods in StatefulSet",
      labels: LABELS,
    });
  }

  setMost(set: StatefulSet, count: number): void {
    this.#most.set(count, labelsOf(set));
  }

  setNow(set: StatefulSet, count: number): void {
    this.#now.set(count, labelsOf(set));
  }
}

function labelsOf({ metadata, spec }: StatefulSet): string[] {
  return [metadata?.namespace ?? "", metadata?.name ?? "", spec?.podManagementPolicy ?? ""];
}
