/** Stores the embedded API server's objects. */
export * from "./backend.ts";
export { asDataDirError, DataDirError } from "./data_dir.ts";
export * from "./history.ts";
export { jsonText } from "./json_text.ts";
export * from "./memory.ts";
export { openDataDir } from "./sqlite.ts";
export * from "./store.ts";
