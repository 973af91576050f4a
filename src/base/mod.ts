/** What everything else stands on; no Kubernetes in here. */
export * from "./ambient.ts";
export * from "./backoff.ts";
export * from "./clock.ts";
export * from "./deep_copy.ts";
export * from "./deep_equal.ts";
export * from "./deferred.ts";
export * from "./fair_queue.ts";
export * from "./fake_clock.ts";
export * from "./heap.ts";
export type { CertificateAndKey, NamedCertificate, ServerCertificates } from "./https_certificates.ts";
export type { TlsDemands } from "./https_demands.ts";
export type { HttpsHandler } from "./https_exchange.ts";
export type { Asked, Peer } from "./https_peer.ts";
export { HttpsServer, type HttpsServerOptions } from "./https_server.ts";
export * from "./invariant.ts";
export * from "./json.ts";
export { isContainer, isRawNumber, numberText } from "./json_numbers.ts";
export * from "./json_writer.ts";
export { createLogger, type KlogLogger, type KlogOptions, writeLogLine } from "./klog.ts";
export { quote } from "./klog_quote.ts";
export * from "./log.ts";
export * from "./lru.ts";
export {
  type Counter,
  type Gauge,
  type Histogram,
  type LabelValues,
  type MetricOptions,
  MetricsRegistry,
} from "./metrics.ts";
export * from "./metrics_text.ts";
export * from "./node_request.ts";
export * from "./request_path.ts";
export * from "./once_per_second.ts";
export * from "./parallelize.ts";
export * from "./random.ts";
export * from "./ring_buffer.ts";
export * from "./source_address.ts";
export * from "./tls_connections.ts";
export * from "./turn_budget.ts";
export * from "./turn_line.ts";
export * from "./unless_aborted.ts";
export * from "./world.ts";
export * from "./version.ts";
export * from "./warnings_only.ts";
