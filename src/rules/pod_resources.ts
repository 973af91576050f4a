import type { Container, ContainerStatus, Pod, ResourceRequirements } from "../api/mod.ts";
import { addAmounts, type Amounts, filterAmounts, maxAmounts, parseAmounts } from "./resource_list.ts";

/** How {@link podRequests} and {@link podLimits} count. */
export interface PodResourceOptions {
  /**
   * Whether the amounts that the kubelet reports count if they exceed the spec, as during a resize. False by default.
   */
  readonly usesStatus?: boolean;
  /** Whether `spec.overhead` is left out. False by default. */
  readonly excludesOverhead?: boolean;
}

type Part = "requests" | "limits";

const NOTHING: Amounts = new Map();

/**
 * A pod's requests: the sum over its containers and sidecars, or its largest init container if that is more. Requests
 * set for the pod as a whole take precedence. Upstream: `component-helpers/resource/helpers.go` (PodRequests).
 *
 * @throws {QuantityError} If the pod states an invalid quantity.
 *
 * @example
 * ```ts
 * import { amountsText, podRequests } from "kubeloop/rules";
 * import { assertEquals } from "@std/assert";
 *
 * const container = (name: string, cpu: string) => ({ name, image: name, resources: { requests: { cpu } } });
 * const spec = { initContainers: [container("first", "1")], containers: [container("web", "250m"), container("log", "50m")] };
 * assertEquals(amountsText(podRequests({ spec })), "cpu=1");
 * ```
 */
export function podRequests(pod: Pod, options: PodResourceOptions = {}): Amounts {
  const sum = withPodLevel(pod, "requests", containersSum(pod, "requests", options));
  return options.excludesOverhead ? sum : addAmounts(sum, parseAmounts(pod.spec?.overhead));
}

/** As {@link podRequests}, for limits; overhead is added only to limits that are set. Upstream: PodLimits. */
export function podLimits(pod: Pod, options: PodResourceOptions = {}): Amounts {
  const sum = withPodLevel(pod, "limits", containersSum(pod, "limits", options));
  if (options.excludesOverhead) return sum;
  const overhead = parseAmounts(pod.spec?.overhead);
  return addAmounts(sum, filterAmounts(overhead, (name) => sum.get(name)?.isZero === false));
}

/** Whether a resource can be set at pod level. Upstream: IsSupportedPodLevelResource. */
export function isPodLevelResource(name: string): boolean {
  return name === "cpu" || name === "memory" || name.startsWith("hugepages-");
}

/** Whether the pod sets any resource at pod level. Upstream: IsPodLevelResourcesSet. */
export function hasPodLevelResources({ spec }: Pod): boolean {
  const { requests, limits } = spec?.resources ?? {};
  return [...Object.keys(requests ?? {}), ...Object.keys(limits ?? {})].some(isPodLevelResource);
}

function withPodLevel({ spec }: Pod, part: Part, sum: Amounts): Amounts {
  const own = spec?.resources?.[part];
  if (!own) return sum;
  return new Map([...sum, ...filterAmounts(parseAmounts(own), isPodLevelResource)]);
}

function containersSum(pod: Pod, part: Part, { usesStatus }: PodResourceOptions): Amounts {
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const statuses = usesStatus ? statusesOf(pod) : undefined;
  const amountsOf = (container: Container, reported: ContainerStatus | undefined) =>
    effective(container.resources, { reported, part, isInfeasible: usesStatus === true && isResizeInfeasible(pod) });
  let sum = NOTHING;
  for (const container of containers) sum = addAmounts(sum, amountsOf(container, statuses?.get(container.name)));
  let sidecars = NOTHING;
  let largestStart = NOTHING;
  for (const container of initContainers) {
    const isSidecar = container.restartPolicy === "Always";
    const amounts = amountsOf(container, isSidecar ? statuses?.get(container.name) : undefined);
    const starting = addAmounts(sidecars, amounts);
    if (isSidecar) {
      sum = addAmounts(sum, amounts);
      sidecars = starting;
    }
    largestStart = maxAmounts(largestStart, starting);
  }
  return maxAmounts(sum, largestStart);
}

function statusesOf({ status }: Pod): ReadonlyMap<string, ContainerStatus> {
  const all = [...status?.containerStatuses ?? [], ...status?.initContainerStatuses ?? []];
  return new Map(all.map((each) => [each.name, each]));
}

/** A resize that the node cannot perform does not count. Upstream: IsPodResizeInfeasible. */
function isResizeInfeasible({ status }: Pod): boolean {
  return status?.conditions?.find(({ type }) => type === "PodResizePending")?.reason === "Infeasible";
}

interface Reported {
  readonly reported: ContainerStatus | undefined;
  readonly part: Part;
  readonly isInfeasible: boolean;
}

function effective(wanted: ResourceRequirements | undefined, { reported, part, isInfeasible }: Reported): Amounts {
  const spec = parseAmounts(wanted?.[part]);
  if (!reported?.resources) return spec;
  const actuated = parseAmounts(reported.resources[part]);
  const running = part === "limits" ? actuated : maxAmounts(actuated, parseAmounts(reported.allocatedResources));
  return isInfeasible ? running : maxAmounts(spec, running);
}
