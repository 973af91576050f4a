import { isPodLevelResource, podRequests } from "../../../rules/mod.ts";
import { type Pod, Quantity } from "../../../api/mod.ts";

/** Of which resource the requests are looked up, and where. */
export interface RequestQuery {
  readonly resource: string;
  /** Of this container alone. */
  readonly container?: string;
  /** Whether what is set for a pod as a whole goes before its containers. */
  readonly hasPodLevel: boolean;
}

/**
 * What each pod asks for, in thousandths, by its name.
 *
 * Upstream: `pkg/controller/podautoscaler/replica_calculator.go` (calculateRequests).
 *
 * @throws {Error} If a pod, whatever its state, does not say how much it wants.
 */
export function requestsOf(pods: readonly Pod[], query: RequestQuery): ReadonlyMap<string, bigint> {
  return new Map(pods.map((pod) => {
    const isWhole = query.hasPodLevel && !query.container && hasPodLevelRequests(pod);
    return [pod.metadata?.name ?? "", isWhole ? wholeRequest(pod, query) : containerRequests(pod, query)];
  }));
}

function hasPodLevelRequests({ spec }: Pod): boolean {
  return Object.keys(spec?.resources?.requests ?? {}).some(isPodLevelResource);
}

function wholeRequest(pod: Pod, { resource }: RequestQuery): bigint {
  const request = podRequests(pod).get(resource);
  if (!request) throw new Error(`missing pod-level request for ${resource} in Pod ${pod.metadata?.name}`);
  return request.milliInt64();
}

function containerRequests({ metadata, spec }: Pod, { resource, container }: RequestQuery): bigint {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const all = [...spec?.containers ?? [], ...sidecars];
  const counted = container ? all.filter(({ name }) => name === container) : all;
  if (container && counted.length === 0) throw new Error(`container ${container} not found in Pod ${metadata?.name}`);
  return counted.reduce((sum, { name, resources }) => {
    // A resource may be called `constructor`.
    const request = new Map(Object.entries(resources?.requests ?? {})).get(resource);
    if (request === undefined) {
      throw new Error(`missing request for ${resource} in container ${name} of Pod ${metadata?.name}`);
    }
    return BigInt.asIntN(64, sum + Quantity.parse(request).milliInt64());
  }, 0n);
}
