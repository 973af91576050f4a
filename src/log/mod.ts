/** The process's log, in klog's format. */
export { createLogger, type KlogLogger, type KlogOptions, writeLogLine } from "./klog.ts";
