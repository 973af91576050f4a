/** The versions and kinds that are served, and their relation to what is stored. */
export type { AggregatedService, Aggregation, Backend, DiscoveredVersion } from "./aggregation.ts";
export { inServedVersion } from "./conversions.ts";
export { compareGroups, priorityOf } from "./group_priorities.ts";
export { ResourceTable, type ServedGroup } from "./resource_table.ts";
export type { ServedResource, ServedSubresource } from "./served.ts";
export { subresourceOf } from "./subresources.ts";
export { keepVerbatim, withVerbatim } from "./verbatim.ts";
