/** An embedded API server: Kubernetes v1.36 in this process, for development and tests. */
export * from "./faults.ts";
export * from "./server.ts";
export type { WatchEnd, WatchFilter } from "./watches.ts";
