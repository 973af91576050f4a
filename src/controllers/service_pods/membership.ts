import type { Pod, Service, ServicePort } from "../../api/mod.ts";
import { isPodTerminal } from "../../rules/mod.ts";

/** What is read of pods for the sake of Services, as an informer is told. */
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
 * Whether a pod that a Service selects is one of its endpoints: it has an address and has not come to its end.
 * Upstream: `k8s.io/endpointslice/util/controller_utils.go` (ShouldPodBeInEndpoints).
 *
 * @param options.terminating Whether a pod that is being deleted still is.
 */
export function isPodInEndpoints(pod: Pod, { terminating }: { readonly terminating: boolean }): boolean {
  const { podIP, podIPs = [] } = pod.status ?? {};
  if (isPodTerminal(pod) || (!podIP && podIPs.length === 0)) return false;
  return terminating || !pod.metadata?.deletionTimestamp;
}

/** The hostname by which a pod is known below a Service: that of its spec if it names the Service as its subdomain. */
export function hostnameFor({ metadata, spec }: Pod, service: Service): string | undefined {
  const { namespace, name } = service.metadata ?? {};
  return spec?.subdomain === name && metadata?.namespace === namespace ? spec?.hostname || undefined : undefined;
}

/** Whether a Service has no address of its own. */
export function isHeadless({ spec }: Service): boolean {
  return !spec?.clusterIP || spec.clusterIP === "None";
}

/**
 * The number of the port of a pod that a Service's port leads to: a name is looked up in the containers, then in the init
 * containers that run beside them. Upstream: `k8s.io/endpointslice/utils.go` (FindPort).
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
