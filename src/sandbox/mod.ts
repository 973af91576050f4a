/** A cluster for development and tests: an API server in this process, simulated nodes and a scheduler. */
export * from "./apiserver/mod.ts";
export { SimulatedStorage, type SimulatedStorageOptions } from "./csi/mod.ts";
export * from "./metrics/mod.ts";
export * from "./nodes/mod.ts";
export { Scheduler, type SchedulerOptions } from "./scheduler/mod.ts";
export * from "./serving/mod.ts";
export { asDataDirError, type Backend, DataDirError, MemoryBackend, openDataDir } from "./storage/mod.ts";
