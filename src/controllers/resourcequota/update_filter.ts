import { deepEqual } from "../../base/mod.ts";
import {
  type ContainerStatus,
  groupResource,
  type KubeObject,
  PERSISTENTVOLUMECLAIMS,
  type Pod,
  PODS,
  type Resource,
  type ResourceRequirements,
  type Service,
  SERVICES,
} from "../../api/mod.ts";
import { isTerminatingPod, parseAmounts, podHoldsResources, sameAmounts } from "../../rules/mod.ts";

/** Whether an update may have changed an object's usage. */
export type UpdateFilter = (before: KubeObject, object: KubeObject) => boolean;

/**
 * Which updates of a resource's objects matter; `undefined` if none does.
 * Upstream: `pkg/quota/v1/install/update_filter.go`.
 *
 * @param nowMs The wall clock, in milliseconds.
 */
export function updateFilter(resource: Resource, nowMs: () => number): UpdateFilter | undefined {
  switch (groupResource(resource)) {
    case groupResource(PODS):
      return (before: Pod, pod: Pod) => podMatters(before, pod, nowMs());
    case groupResource(SERVICES):
      return (before: Service, service: Service) => countedType(before) !== countedType(service);
    case groupResource(PERSISTENTVOLUMECLAIMS):
      // Upstream compares pointers instead of their targets, so any update matters.
      return () => true;
    default:
      return undefined;
  }
}

function podMatters(before: Pod, pod: Pod, nowMs: number): boolean {
  return runsWithOther(before.status?.containerStatuses, pod.status?.containerStatuses) ||
    runsWithOther(before.status?.initContainerStatuses, pod.status?.initContainerStatuses) ||
    isTerminatingPod(before) !== isTerminatingPod(pod) ||
    podHoldsResources(before, nowMs) && !podHoldsResources(pod, nowMs);
}

/** Whether an existing container's resources changed. */
function runsWithOther(before: readonly ContainerStatus[] = [], now: readonly ContainerStatus[] = []): boolean {
  return before.some(({ name, resources }) => {
    const status = now.find((other) => other.name === name);
    return status !== undefined && !sameResources(resources, status.resources);
  });
}

function sameResources(one: ResourceRequirements | undefined, other: ResourceRequirements | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return sameAmounts(parseAmounts(one.limits), parseAmounts(other.limits)) &&
    sameAmounts(parseAmounts(one.requests), parseAmounts(other.requests)) &&
    deepEqual(one.claims ?? [], other.claims ?? []);
}

/** The Service types that are counted separately. */
function countedType({ spec }: Service): string {
  const type = spec?.type ?? "";
  return ["NodePort", "LoadBalancer"].includes(type) ? type : "";
}
