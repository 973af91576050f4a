/** A process's cloud provider: opening it, and limiting its calls. */
export { type CloudOptions, cloudOptions } from "./cloud_options.ts";
export { type CloudAccess, ProcessCloud } from "./process_cloud.ts";
export { CloudGuard } from "./cloud_guard.ts";
