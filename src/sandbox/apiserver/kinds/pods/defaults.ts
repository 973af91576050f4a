import { defaultPodSpec as defaultSpec } from "../../../../rules/mod.ts";
import type { Pod, PodSpec } from "../../../../api/mod.ts";
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

/** The defaults for pods, which templates do not get. */
export function defaultPod({ spec }: Pod, gates: FeatureGates): void {
  if (!spec) return;
  defaultPodSpec(spec, gates);
  spec.enableServiceLinks ??= true;
  for (const { resources, ports } of [...spec.initContainers ?? [], ...spec.containers ?? []]) {
    if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests };
    if (spec.hostNetwork) { for (const port of ports ?? []) port.hostPort ||= port.containerPort; }
  }
  defaultPodResources(spec);
}
