/** Shared by approving, signing and cleaning CertificateSigningRequests. */
export { type CertificateClient, certificateController, CLIENT_NAME, QUEUE } from "./controller.ts";
export { conditionsOf, hasFailed, isApproved, isDecided, isIssued, withOneMore } from "./conditions.ts";
export { kubeletClientObjection, kubeletServingObjection } from "./profiles.ts";
export { certificateRequestIn } from "./request_text.ts";
export { SYNC_BUCKETS_SECONDS, SyncMetrics } from "./sync_metrics.ts";
