import type { MetricsRegistry } from "../../base/mod.ts";
import type { ConnectionCounts } from "./connection_pool.ts";
import type { HttpTransport } from "./http_transport.ts";

/** Shows how many connections to the API server `transports` have in all, and how many requests wait. */
export function trackConnections(
  metrics: MetricsRegistry,
  transports: readonly Pick<HttpTransport, "counts">[],
): void {
  const sum = (what: keyof ConnectionCounts) => transports.reduce((sum, each) => sum + each.counts()[what], 0);
  const connections = metrics.gauge({
    name: "kubeloop_api_server_connections",
    help: "Open connections to the API server, those of watches included.",
    labels: ["state"],
  });
  for (const state of ["active", "idle"] as const) connections.track(() => sum(state), [state]);
  metrics.gauge({
    name: "kubeloop_api_server_requests_waiting",
    help: "Requests to the API server that wait for a connection, or for the answers to others.",
  }).track(() => sum("waiting"));
}
