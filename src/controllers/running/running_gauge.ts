import type { ControllerContext } from "./controller.ts";

/** The metric that some controllers say it with. */
export const RUNNING_METRIC = "running_managed_controllers";

/**
 * Says that a controller runs, from now until what is returned is called. Upstream says so of few controllers.
 * Upstream: `k8s.io/component-base/metrics/prometheus/controllers`.
 *
 * @param name As the metric calls it.
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
