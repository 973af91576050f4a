/** Who sends a request. Upstream: `pkg/kubeapiserver/authenticator`. */
export { Authenticator, type AuthenticatorOptions, unauthorized } from "./authenticator.ts";
export { type AccountClaims, ISSUER } from "./bound_tokens.ts";
export type { ClientCertificate } from "./client_certificate.ts";
export { impersonated, wantsImpersonation } from "./impersonation.ts";
