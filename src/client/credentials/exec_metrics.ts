import type { Counter, Gauge, MetricsRegistry } from "../../base/mod.ts";

/** How a run of a plugin ended. */
export type ExecCallStatus =
  | "no_error"
  | "plugin_execution_error"
  | "plugin_not_found_error"
  | "client_internal_error";

/** Metrics of exec plugins. Upstream: `component-base/metrics/prometheus/restclient`. */
export class ExecMetrics {
  readonly #calls: Counter;
  /** Until the answer expires; +Inf if it does not. */
  readonly ttlSeconds: Gauge;

  constructor(registry: MetricsRegistry) {
    this.#calls = registry.counter({
      name: "rest_client_exec_plugin_call_total",
      help: "Number of calls to an exec plugin, partitioned by the type of event encountered " +
        "(no_error, plugin_execution_error, plugin_not_found_error, client_internal_error) and an optional exit code. " +
        "The exit code will be set to 0 if and only if the plugin call was successful.",
      labels: ["code", "call_status"],
    });
    this.ttlSeconds = registry.gauge({
      name: "rest_client_exec_plugin_ttl_seconds",
      help: "Gauge of the shortest TTL (time-to-live) of the client certificate(s) managed by the auth exec plugin. " +
        "The value is in seconds until certificate expiry (negative if already expired). " +
        "If auth exec plugins are unused or manage no TLS certificates, the value will be +INF.",
    });
  }

  called(status: ExecCallStatus, code: number): void {
    this.#calls.inc([String(code), status]);
  }
}
