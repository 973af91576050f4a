/** Who sends a request. Upstream: `pkg/kubeapiserver/authenticator`. */
export * from "./authenticator.ts";
export type { ClientCertificate } from "./client_certificate.ts";
export { impersonated, wantsImpersonation } from "./impersonation.ts";
export { reviewToken } from "./reviews.ts";
export { userInfo } from "./user_info.ts";
export * from "./user.ts";
