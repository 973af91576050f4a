import type { EndpointSlice } from "../../api/mod.ts";
import { podNamePrefix } from "../pods/mod.ts";

/** Names the Service that a slice belongs to. */
export const SERVICE_NAME_LABEL = "kubernetes.io/service-name";
/** Names the writer of a slice; nobody else may change it. */
export const MANAGED_BY_LABEL = "endpointslice.kubernetes.io/managed-by";

/** The prefix of slices' names. Upstream: `k8s.io/endpointslice/utils.go` (getEndpointSlicePrefix). */
export function sliceNamePrefix(serviceName: string): string {
  return podNamePrefix(serviceName);
}

/** The labels of a slice. */
export function asLabels({ metadata }: EndpointSlice): Readonly<Record<string, string>> {
  return metadata?.labels ?? {};
}
