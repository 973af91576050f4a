/** A whole cluster in one process. */
export { CloudControllers, type CloudRun, clusterCidrs, splitFlags } from "./cloud_controllers.ts";
export { followMachines, nodeMachines } from "./cloud_machines.ts";
export * from "./lifeline.ts";
export * from "./local_cluster.ts";
export { serverSettings, type StandIns, standIns } from "./stand_ins.ts";
export type { CrashOptions } from "./mortal_manager.ts";
