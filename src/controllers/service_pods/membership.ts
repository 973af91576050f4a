import type { Pod, Service, ServicePort } from "../../api/mod.ts";
import { isPodTerminal } from "../../rules/mod.ts";

/** The fields of pods that controllers of Services read. */
export const SERVICE_POD_FIELDS: readonly string[] = [
  "spec.nodeName",
  "spec.hostname",
  "spec.subdomain",
  "spec.containers.ports",
  "spec.initContainers.ports",
  "spec.initContainers.restartPolicy",
  "status.phase",
  "status.podIP",
  "status.podIPs",
  "status.conditions",
];

/**
 * Whether a selected pod is an endpoint: it has an address and has not ended.
 * Upstream: `k8s.io/endpointslice/util/controller_utils.go` (ShouldPodBeInEndpoints).
 *
 * @param options.terminating Whether terminating pods count.
 */
export function isPodInEndpoints(pod: Pod, { terminating }: { readonly terminating: boolean }): boolean {
  const { podIP, podIPs = [] } = pod.status ?? {};
  if (isPodTerminal(pod) || (!podIP && podIPs.length === 0)) return false;
  return terminating || !pod.metadata?.deletionTimestamp;
}

/** A pod's hostname within a Service: that of its spec, if its subdomain is the Service. */
export function hostnameFor({ metadata, spec }: Pod, service: Service): string | undefined {
  const { namespace, name } = service.metadata ?? {};
  return spec?.subdomain === name && metadata?.namespace === namespace ? spec?.hostname || undefined : undefined;
}

/** Whether a Service is headless. */
export function isHeadless({ spec }: Service): boolean {
  return !spec?.clusterIP || spec.clusterIP === "None";
}

/**
 * The pod's port number for a Service's port. A name is looked up in the containers, then in the sidecars. Upstream:
 * `k8s.io/endpointslice/utils.go` (FindPort).
 *
 * @returns `undefined` if the pod has no port of that name and protocol.
 */
export function targetPortOf({ spec }: Pod, { targetPort = 0, protocol }: ServicePort): number | undefined {
  if (typeof targetPort === "number") return targetPort;
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  for (const { ports = [] } of [...spec?.containers ?? [], ...sidecars]) {
    const port = ports.find((port) => port.name === targetPort && port.protocol === protocol);
    if (port) return port.containerPort;
  }
  return undefined;
}
