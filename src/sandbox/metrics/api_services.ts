import type { APIService } from "../../api/mod.ts";

/** The service that serves metrics, under metrics-server's usual name. */
export const METRICS_SERVICE = { namespace: "kube-system", name: "metrics-server" } as const;

/** As in the manifests of metrics-server and of common adapters. */
const VERSIONS = [
  { group: "metrics.k8s.io", version: "v1beta1", versionPriority: 100 },
  { group: "custom.metrics.k8s.io", version: "v1beta1", versionPriority: 100 },
  { group: "custom.metrics.k8s.io", version: "v1beta2", versionPriority: 200 },
  { group: "external.metrics.k8s.io", version: "v1beta1", versionPriority: 100 },
];

/** How an API server reaches the service. */
export interface MetricsServiceOptions {
  readonly namespace?: string;
  readonly name?: string;
  readonly port?: number;
  /** The certificate, in base64, of the authority that signed the service's; required for requests to be sent. */
  readonly caBundle?: string;
}

/** The APIServices that make an API server forward requests for metrics to a service. */
export function metricsApiServices(
  { namespace = METRICS_SERVICE.namespace, name = METRICS_SERVICE.name, port = 443, caBundle }: MetricsServiceOptions =
    {},
): APIService[] {
  const trust = caBundle ? { caBundle } : { insecureSkipTLSVerify: true };
  return VERSIONS.map(({ group, version, versionPriority }) => ({
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: `${version}.${group}` },
    spec: { group, version, groupPriorityMinimum: 100, versionPriority, service: { namespace, name, port }, ...trust },
  }));
}
