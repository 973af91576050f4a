import { defaultPodSpec as defaultSpec } from "../../../../rules/mod.ts";
import type { Pod, PodSpec, ResourceRequirements } from "../../../../api/mod.ts";
import type { FeatureGates } from "../../traits/mod.ts";
import { defaultPodResources } from "./pod_resources.ts";

/** Sets the defaults of a pod's spec, and drops fields of disabled features. */
function defaultPodSpec(spec: PodSpec, gates: FeatureGates): void {
  if (!gates.has("GenericWorkload")) delete spec.schedulingGroup;
  for (const source of (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? [])) {
    if (!gates.has("ClusterTrustBundleProjection")) delete source.clusterTrustBundle;
    if (!gates.has("PodCertificateRequest")) delete source.podCertificate;
  }
  defaultSpec(spec);
}

/** Sets the defaults of a template, and its spec if it is missing. */
export function defaultTemplate(template: { spec?: PodSpec } | undefined, gates: FeatureGates): void {
  if (!template) return;
  template.spec ??= { containers: [] };
  defaultPodSpec(template.spec, gates);
}

function requestLimits(resources: ResourceRequirements | undefined): void {
  const limits = resources?.limits;
  if (resources && limits) resources.requests = { ...limits, ...resources.requests };
}

/** The defaults for pods, which templates do not get. */
export function defaultPod({ spec }: Pod, gates: FeatureGates): void {
  if (!spec) return;
  defaultPodSpec(spec, gates);
  spec.enableServiceLinks ??= true;
  for (const container of spec.containers ?? []) requestLimits(container.resources);
  for (const container of spec.initContainers ?? []) requestLimits(container.resources);
  defaultPodResources(spec);
  if (!spec.hostNetwork) return;
  for (const container of [...spec.initContainers ?? [], ...spec.containers ?? []]) {
    for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
  }
}
