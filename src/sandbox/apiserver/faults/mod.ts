/** Makes requests fail on purpose. */
export type { Fault } from "./fault.ts";
export { type FaultHandle, Faults } from "./active_faults.ts";
