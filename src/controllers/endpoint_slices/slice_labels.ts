import type { EndpointSlice } from "../../api/mod.ts";
import { podNamePrefix } from "../pods/mod.ts";

/** Names the Service that a slice belongs to. */
export const SERVICE_NAME_LABEL = "kubernetes.io/service-name";
/** Names who writes a slice; nobody else touches it. */
export const MANAGED_BY_LABEL = "endpointslice.kubernetes.io/managed-by";

/** What names of slices begin with. Upstream: `k8s.io/endpointslice/utils.go` (getEndpointSlicePrefix). */
export function sliceNamePrefix(serviceName: string): string {
  return podNamePrefix(serviceName);
}

/** The labels of a slice. */
export function asLabels({ metadata }: EndpointSlice): Readonly<Record<string, string>> {
  return metadata?.labels ?? {};
}
