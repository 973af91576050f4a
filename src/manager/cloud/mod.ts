/** The cloud provider of a process: how it is opened, and how its calls are kept within bounds. */
export { type CloudOptions, cloudOptions } from "./cloud_options.ts";
export { type CloudAccess, ProcessCloud } from "./process_cloud.ts";
export { CloudGuard } from "./cloud_guard.ts";
