import type { ControllerContext } from "./controller.ts";

/** The metric that shows which controllers run. */
export const RUNNING_METRIC = "running_managed_controllers";

/**
 * Reports that a controller runs, until the returned function is called. Upstream reports it for few controllers.
 * Upstream: `k8s.io/component-base/metrics/prometheus/controllers`.
 *
 * @param name Its name in the metric.
 */
export function sayRunning(
  { metrics, program }: Pick<ControllerContext, "metrics" | "program">,
  name: string,
): () => void {
  const gauge = metrics.gauge({
    name: RUNNING_METRIC,
    help: "Indicates where instances of a controller are currently running",
    labels: ["manager", "name"],
    stability: "BETA",
  });
  gauge.set(1, [program, name]);
  return () => gauge.set(0, [program, name]);
}
