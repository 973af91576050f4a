/** The rules for ingresses, network policies and addresses. Upstream: `pkg/apis/networking`. */
export { ipAddresses, serviceCidrs } from "./addresses.ts";
export { ingressClasses, ingresses } from "./ingresses.ts";
export { networkPolicies } from "./policies.ts";
