import type { Counter, Gauge, Histogram, MetricsRegistry } from "../../base/mod.ts";

/** What a sync or metric led to. */
export type Action = "scale_up" | "scale_down" | "none";

/** The cause of a failure: the object, anything else, or none. */
export type Fault = "spec" | "internal" | "none";

/** Prometheus histogram bounds: 1 ms, doubling to 16 s. */
const BUCKETS = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);

const ERRORS = "by what was done (scale_up, scale_down, none) and who was at fault (spec, internal, none)";

/** The metrics of the autoscaler. Upstream: `pkg/controller/podautoscaler/monitor`. */
export class AutoscalerMetrics {
  readonly #reconciliations: Counter;
  readonly #reconciliationTime: Histogram;
  readonly #computations: Counter;
  readonly #computationTime: Histogram;
  readonly #desired: Gauge;

  /** @param count How many autoscalers there are. */
  constructor(metrics: MetricsRegistry, count: () => number) {
    const beta = (name: string, help: string, labels: readonly string[]) =>
      ({ name: `horizontal_pod_autoscaler_controller_${name}`, help, labels, stability: "BETA" }) as const;
    const byAction = ["action", "error"];
    const byType = [...byAction, "metric_type"];
    this.#reconciliations = metrics.counter(
      beta("reconciliations_total", `The number of looks at an autoscaler, ${ERRORS}`, byAction),
    );
    this.#reconciliationTime = metrics.histogram({
      ...beta("reconciliation_duration_seconds", `How long a look at an autoscaler took, ${ERRORS}`, byAction),
      buckets: BUCKETS,
    });
    this.#computations = metrics.counter(
      beta("metric_computation_total", `The number of metrics evaluated, ${ERRORS}`, byType),
    );
    this.#computationTime = metrics.histogram({
      ...beta("metric_computation_duration_seconds", `How long the evaluation of a metric took, ${ERRORS}`, byType),
      buckets: BUCKETS,
    });
    metrics.gauge({
      name: "horizontal_pod_autoscaler_controller_num_horizontal_pod_autoscalers",
      help: "Current number of controlled HPA objects.",
    }).track(count);
    this.#desired = metrics.gauge({
      name: "horizontal_pod_autoscaler_controller_desired_replicas",
      help: "The number of replicas that an autoscaler wants now",
      labels: ["namespace", "hpa_name"],
    });
  }

  reconciled(action: Action, fault: Fault, durationMs: number): void {
    this.#reconciliations.inc([action, fault]);
    this.#reconciliationTime.observe(durationMs / 1000, [action, fault]);
  }

  computed(
    type: string,
    { action, fault }: { readonly action: Action; readonly fault: Fault },
    durationMs: number,
  ): void {
    this.#computations.inc([action, fault, type]);
    this.#computationTime.observe(durationMs / 1000, [action, fault, type]);
  }

  desires(namespace: string, name: string, replicas: number): void {
    this.#desired.set(replicas, [namespace, name]);
  }
}

/** The action for a change of the number of replicas. */
export function actionOf(from: number, to: number): Action {
  if (to === from) return "none";
  return to > from ? "scale_up" : "scale_down";
}
