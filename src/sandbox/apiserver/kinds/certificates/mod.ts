/** Certificate requests and trust bundles. */
export { type SigningRequest, stampConditions, validateConditions, validateDecision } from "./conditions.ts";
export { podCertificateRequests } from "./pod_requests.ts";
export { mayFor } from "./signers.ts";
export { certificateSigningRequests } from "./signing_requests.ts";
export { clusterTrustBundles } from "./trust_bundles.ts";
