/** Nodes without machines. */
export { isUnpullable } from "./pod_status.ts";
export * from "./simulator.ts";
