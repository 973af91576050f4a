import type { Lease } from "../../api/mod.ts";

/** Where API servers have the leases by which others know that they are there, named after their ids. */
export const IDENTITY_NAMESPACE = "kube-system";
const IDENTITY_LABEL = "apiserver.kubernetes.io/identity";
const API_SERVER = "kube-apiserver";

/** Whether a lease says that an API server is there. Upstream: `pkg/controlplane/instance.go`. */
export function isIdentityLease({ metadata }: Lease): boolean {
  return metadata?.namespace === IDENTITY_NAMESPACE && metadata.labels?.[IDENTITY_LABEL] === API_SERVER;
}
