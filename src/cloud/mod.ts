/** The interface to clouds, and kubeloop's providers. */
export * from "./calls.ts";
export * from "./errors.ts";
export type * from "./factory.ts";
export * from "./older_instances.ts";
export * from "./provider.ts";
export * from "./registry.ts";
export * from "./simulated/mod.ts";
