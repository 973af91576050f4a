/** A simulated cloud inside the process, for people and tests. */
export type { Balancer } from "./balancers.ts";
export type { CloudFault } from "./faults.ts";
export type { Machine, MachineSettings, MachineState } from "./machines.ts";
export { SimulatedCloud, type SimulatedCloudOptions } from "./simulated_cloud.ts";
