import type { Counter, Histogram, MetricsRegistry } from "../base/mod.ts";

const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const BYTES = [64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216];

/** The `rest_client_*` metrics. Upstream: `k8s.io/component-base/metrics/prometheus/restclient`. */
export class RequestMetrics {
  readonly requests: Counter;
  readonly retries: Counter;
  readonly durationSeconds: Histogram;
  readonly limiterSeconds: Histogram;
  readonly requestBytes: Histogram;
  readonly responseBytes: Histogram;

  constructor(registry: MetricsRegistry) {
    const labels = ["verb", "host"];
    this.requests = registry.counter({
      name: "rest_client_requests_total",
      help: "Number of HTTP requests, partitioned by status code, method, and host.",
      labels: ["code", "method", "host"],
    });
    this.retries = registry.counter({
      name: "rest_client_request_retries_total",
      help: "Number of request retries, partitioned by status code, verb, and host.",
      labels: ["code", "verb", "host"],
    });
    this.durationSeconds = registry.histogram({
      name: "rest_client_request_duration_seconds",
      help: "Request latency in seconds. Broken down by verb, and host.",
      labels,
      buckets: SECONDS,
    });
    this.limiterSeconds = registry.histogram({
      name: "rest_client_rate_limiter_duration_seconds",
      help: "Client side rate limiter latency in seconds. Broken down by verb, and host.",
      labels,
      buckets: SECONDS,
    });
    this.requestBytes = registry.histogram({
      name: "rest_client_request_size_bytes",
      help: "Request size in bytes. Broken down by verb and host.",
      labels,
      buckets: BYTES,
    });
    this.responseBytes = registry.histogram({
      name: "rest_client_response_size_bytes",
      help: "Response size in bytes. Broken down by verb and host.",
      labels,
      buckets: BYTES,
    });
  }
}
