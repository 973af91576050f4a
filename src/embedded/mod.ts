/** A whole cluster in one process. */
export * from "./lifeline.ts";
export * from "./local_cluster.ts";
export { serverSettings, type StandIns, standIns } from "./stand_ins.ts";
export type { CrashOptions } from "./mortal_manager.ts";
