/** A cluster to play with: an API server in this process and simulated nodes. */
export * from "./apiserver/mod.ts";
export * from "./nodes/mod.ts";
export * from "./serve.ts";
export { type Backend, MemoryBackend } from "./storage/mod.ts";
