/** A cloud without machines, for people and tests: it lives in the process that asks it. */
export type { Balancer } from "./balancers.ts";
export type { CloudFault } from "./faults.ts";
export type { Machine, MachineSettings, MachineState } from "./machines.ts";
export { SimulatedCloud, type SimulatedCloudOptions } from "./simulated_cloud.ts";
