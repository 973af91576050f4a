/** The process: flags, election, start order, health, and the controllers running. */
export * from "./controller_manager.ts";
export * from "./controller_selection.ts";
export * from "./endpoint.ts";
export * from "./flags.ts";
export * from "./health.ts";
export * from "./options.ts";
export * from "./process.ts";
export * from "./flag_table.ts";
export * from "./cluster.ts";
