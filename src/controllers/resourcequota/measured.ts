import { groupResource, PERSISTENTVOLUMECLAIMS, PODS, type Resource, RESOURCECLAIMS, SERVICES } from "../../api/mod.ts";

const OF_CONTAINERS = ["name", "resources", "restartPolicy"];
const OF_STATUSES = ["name", "resources", "allocatedResources"];

/** Resources that are measured by more than metadata, with the measured fields. */
const MEASURED = new Map<Resource, readonly string[]>([
  [PODS, [
    ...OF_CONTAINERS.flatMap((field) => [`spec.containers.${field}`, `spec.initContainers.${field}`]),
    "spec.resources",
    "spec.overhead",
    "spec.activeDeadlineSeconds",
    "spec.priorityClassName",
    "spec.affinity",
    "status.phase",
    "status.qosClass",
    "status.conditions",
    ...OF_STATUSES.flatMap((field) => [`status.containerStatuses.${field}`, `status.initContainerStatuses.${field}`]),
    "status.extendedResourceClaimStatus",
  ]],
  [SERVICES, ["spec.type", "spec.ports", "spec.allocateLoadBalancerNodePorts"]],
  [PERSISTENTVOLUMECLAIMS, [
    "spec.resources",
    "spec.storageClassName",
    "spec.volumeAttributesClassName",
    "status.allocatedResources",
    "status.currentVolumeAttributesClassName",
    "status.modifyVolumeStatus",
  ]],
  [RESOURCECLAIMS, ["spec.devices.requests"]],
]);

/** Every one of them. */
export const MEASURED_RESOURCES: readonly Resource[] = [...MEASURED.keys()];

/** The version in which objects of this resource are measured; `undefined` if only their number counts. */
export function measuredAs({ group, plural }: Pick<Resource, "group" | "plural">): Resource | undefined {
  return MEASURED_RESOURCES.find((resource) => resource.group === group && resource.plural === plural);
}

/** The fields that are read besides metadata. */
export function fieldsMeasured(resource: Resource): readonly string[] {
  return MEASURED.get(resource) ?? [];
}

/**
 * Resources that no quota counts: not stored, or never counted before. Upstream: `pkg/quota/v1/install/registry.go`.
 */
const IGNORED = new Set([
  "bindings",
  "componentstatuses",
  "events",
  "events.events.k8s.io",
  "tokenreviews.authentication.k8s.io",
  "selfsubjectreviews.authentication.k8s.io",
  "subjectaccessreviews.authorization.k8s.io",
  "selfsubjectaccessreviews.authorization.k8s.io",
  "localsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectrulesreviews.authorization.k8s.io",
]);

const NEEDED_VERBS = ["create", "list", "watch", "delete"];

/** Whether objects of this namespaced resource can count for a quota. */
export function isQuotable(resource: Resource): boolean {
  const { verbs = [] } = resource;
  return NEEDED_VERBS.every((verb) => verbs.includes(verb)) && !IGNORED.has(groupResource(resource));
}
