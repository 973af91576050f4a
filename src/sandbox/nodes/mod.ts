/** Simulated nodes. */
export type { NodeMachines, NodeSettings } from "./fleet.ts";
export { isUnpullable } from "./images.ts";
export { STOPPED_ANNOTATION } from "./node_conditions.ts";
export type { PodTimes } from "./plan.ts";
export * from "./simulator.ts";
export { type ContainerUsage, usageOfContainers } from "./usage.ts";
