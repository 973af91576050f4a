/** What a cloud does for a cluster, and the clouds that kubeloop knows. */
export * from "./calls.ts";
export * from "./errors.ts";
export type * from "./factory.ts";
export * from "./older_instances.ts";
export * from "./provider.ts";
export * from "./registry.ts";
export * from "./simulated/mod.ts";
