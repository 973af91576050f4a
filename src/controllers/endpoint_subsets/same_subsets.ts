import { deepEqual } from "../../base/mod.ts";
import type { EndpointAddress, EndpointPort, EndpointSubset } from "../../api/mod.ts";

/**
 * Whether subsets are equal and in the same order. Targets' resource versions do not matter, nor whether empty fields
 * are present.
 * Upstream: `pkg/controller/endpoint/endpoints_controller.go` (endpointSubsetsEqualIgnoreResourceVersion).
 */
export function sameSubsets(a: readonly EndpointSubset[], b: readonly EndpointSubset[]): boolean {
  return sameLists(a, b, (left, right) =>
    sameLists(left.addresses, right.addresses, sameAddress) &&
    sameLists(left.notReadyAddresses, right.notReadyAddresses, sameAddress) &&
    sameLists(left.ports, right.ports, samePort));
}

function sameLists<T>(a: readonly T[] = [], b: readonly T[] = [], same: (a: T, b: T) => boolean): boolean {
  return a.length === b.length && a.every((item, i) => same(item, b[i]));
}

function sameAddress(a: EndpointAddress, b: EndpointAddress): boolean {
  return deepEqual(comparable(a), comparable(b));
}

/** An empty node name counts; other empty texts count as absent. */
function comparable({ ip, hostname, nodeName, targetRef }: EndpointAddress): unknown {
  if (!targetRef) return { ip, hostname: hostname || undefined, nodeName };
  const { resourceVersion: _version, ...said } = targetRef;
  const reference = Object.fromEntries(Object.entries(said).filter(([, text]) => text !== ""));
  return { ip, hostname: hostname || undefined, nodeName, reference };
}

function samePort(a: EndpointPort, b: EndpointPort): boolean {
  return a.port === b.port && (a.name ?? "") === (b.name ?? "") && (a.protocol ?? "") === (b.protocol ?? "") &&
    a.appProtocol === b.appProtocol;
}
