/** Rules for devices: slices, claims and their allocation. Upstream: `pkg/apis/resource`. */
export { resourceClaims, resourceClaimTemplates } from "./claims.ts";
export { deviceClasses, deviceTaintRules, resourceSlices } from "./offers.ts";
export { resourcePoolStatusRequests } from "./pool_requests.ts";
