import type { Endpoint } from "../../api/mod.ts";

/**
 * What tells endpoints of a Service apart: addresses, hostname, and the target's name.
 * Upstream: `k8s.io/endpointslice/util/endpointset.go` (hashEndpoint).
 */
export function endpointKey({ addresses, hostname = "", targetRef }: Endpoint): string {
  const sorted = addresses.length > 1 ? addresses.toSorted() : addresses;
  return JSON.stringify([sorted, hostname, targetRef?.namespace ?? "", targetRef?.name ?? ""]);
}

/**
 * Whether two endpoints with one key are the same in all else but their hints; a condition that is absent is not a false one.
 * Upstream: `k8s.io/endpointslice/util/controller_utils.go` (EndpointsEqualBeyondHash).
 */
export function isSameEndpoint(a: Endpoint, b: Endpoint): boolean {
  return a.nodeName === b.nodeName && a.zone === b.zone && a.conditions?.ready === b.conditions?.ready &&
    a.conditions?.serving === b.conditions?.serving && a.conditions?.terminating === b.conditions?.terminating &&
    isSameTarget(a.targetRef, b.targetRef);
}

function isSameTarget(a: Endpoint["targetRef"], b: Endpoint["targetRef"]): boolean {
  if (!a || !b) return a === b;
  const fields = ["kind", "namespace", "name", "uid", "apiVersion", "fieldPath"] as const;
  return fields.every((field) => (a[field] ?? "") === (b[field] ?? ""));
}
