/** Rules for Services, and the allocation of addresses and ports. Upstream: `pkg/registry/core/service`. */
export { services } from "./services.ts";
