import { MetricsRegistry } from "../../base/mod.ts";

/** The results of health checks so far. Upstream: `k8s.io/component-base/metrics/prometheus/slis`. */
export class HealthRecord {
  #metrics = new MetricsRegistry();

  observe(name: string, holds: boolean): void {
    const status = holds ? "success" : "error";
    this.#last().set(holds ? 1 : 0, [name, "healthz"]);
    this.#all().inc([name, status, "healthz"]);
  }

  reset(): void {
    this.#metrics = new MetricsRegistry();
  }

  /** @param startSeconds When the process started, in seconds since 1970. */
  render(startSeconds: number): string {
    this.#last();
    this.#all();
    const start = {
      name: "process_start_time_seconds",
      help: "Start time of the process since unix epoch in seconds.",
    };
    this.#metrics.gauge(start).set(startSeconds);
    return this.#metrics.render();
  }

  #last() {
    return this.#metrics.gauge({
      name: "kubernetes_healthcheck",
      help: "This metric records the result of a single healthcheck.",
      labels: ["name", "type"],
      stability: "STABLE",
    });
  }

  #all() {
    return this.#metrics.counter({
      name: "kubernetes_healthchecks_total",
      help: "This metric records the results of all healthcheck.",
      labels: ["name", "status", "type"],
      stability: "STABLE",
    });
  }
}
