/** The rules for devices: what offers them, what asks for them, what has got them. Upstream: `pkg/apis/resource`. */
export { resourceClaims, resourceClaimTemplates } from "./claims.ts";
export { deviceClasses, resourceSlices } from "./offers.ts";
export { resourcePoolStatusRequests } from "./pool_requests.ts";
export { deviceTaintRules } from "./taints.ts";
