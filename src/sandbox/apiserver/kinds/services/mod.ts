/** The rules for Services, and their addresses and ports. Upstream: `pkg/registry/core/service`. */
export { services } from "./services.ts";
