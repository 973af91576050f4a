import type { Endpoint } from "../../api/mod.ts";

/**
 * The key that distinguishes a Service's endpoints: addresses, hostname, and the target's name.
 * Upstream: `k8s.io/endpointslice/util/endpointset.go` (hashEndpoint).
 */
export function endpointKey({ addresses, hostname = "", targetRef }: Endpoint): string {
  const sorted = addresses.length > 1 ? addresses.toSorted() : addresses;
  return JSON.stringify([sorted, hostname, targetRef?.namespace ?? "", targetRef?.name ?? ""]);
}

/**
 * Whether two endpoints with the same key are equal except for their hints. An absent condition differs from a false
 * one.
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
