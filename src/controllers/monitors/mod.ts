/** Watching every resource that discovery names. */
export { type DiscoveryListener, DiscoveryLoop, type DiscoveryLoopOptions } from "./discovery_loop.ts";
export { type InformerSource, informerSource, type MonitoredInformer } from "./informer_source.ts";
export { type Monitor, MonitorSet, type MonitorSetOptions } from "./monitor_set.ts";
export { resourcesDiff, type ResourceSet, sameResources } from "./resource_set.ts";
