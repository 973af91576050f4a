/** Who may do what. Upstream: `plugin/pkg/auth/authorizer/rbac`. */
export * from "./access_reviews.ts";
export { ALWAYS_ALLOW } from "./always_allow.ts";
export { confirmNoEscalation } from "./escalation.ts";
export { accessForbidden } from "./forbidden.ts";
export { RbacAuthorizer } from "./rbac.ts";
export { accessOf } from "./request_access.ts";
