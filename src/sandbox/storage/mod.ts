/** Where the embedded API server keeps its objects. */
export * from "./backend.ts";
export * from "./history.ts";
export * from "./memory.ts";
export * from "./store.ts";
