import type { Lease } from "../../api/mod.ts";

/** Where API servers keep the leases that announce them to others, named after their ids. */
export const IDENTITY_NAMESPACE = "kube-system";
const IDENTITY_LABEL = "apiserver.kubernetes.io/identity";
const API_SERVER = "kube-apiserver";

/** Whether a lease announces an API server. Upstream: `pkg/controlplane/instance.go`. */
export function isIdentityLease({ metadata }: Lease): boolean {
  return metadata?.namespace === IDENTITY_NAMESPACE && metadata.labels?.[IDENTITY_LABEL] === API_SERVER;
}
