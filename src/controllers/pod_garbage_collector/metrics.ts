import type { Counter, MetricsRegistry } from "../../base/mod.ts";
import type { Pod } from "../../api/mod.ts";

/** Why a pod is deleted. */
export type Reason = "terminated" | "out-of-service" | "orphaned" | "unscheduled";

/** Counts forced deletions. Upstream: `pkg/controller/podgc/metrics/metrics.go`. */
export class DeletionMetrics {
  readonly #total: Counter;
  readonly #errors: Counter;

  constructor(metrics: MetricsRegistry) {
    const labels = ["namespace", "reason"];
    this.#total = metrics.counter({
      name: "pod_gc_collector_force_delete_pods_total",
      help: "Number of pods that are being forcefully deleted since the Pod GC Controller started.",
      labels,
    });
    this.#errors = metrics.counter({
      name: "pod_gc_collector_force_delete_pod_errors_total",
      help: "Number of errors encountered when forcefully deleting the pods since the Pod GC Controller started.",
      labels,
    });
  }

  /** Failed attempts count as deletions too, as upstream counts. */
  deleted({ metadata }: Pod, reason: Reason, { isError }: { readonly isError: boolean }): void {
    const labels = [metadata?.namespace ?? "", reason];
    this.#total.inc(labels);
    if (isError) this.#errors.inc(labels);
  }
}
