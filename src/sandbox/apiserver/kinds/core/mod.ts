/** Rules for the other kinds of the core group, EndpointSlices and events. */
export { serviceAccounts } from "./accounts.ts";
export { configMaps, secrets } from "./data.ts";
export { endpoints, endpointSlices } from "./endpoints.ts";
export { events, structuredEvents } from "./events.ts";
export { limitRanges } from "./limits.ts";
export { namespaces, validateSpecFinalizer } from "./namespaces.ts";
export { nodes } from "./nodes.ts";
export { resourceQuotas } from "./quotas.ts";
