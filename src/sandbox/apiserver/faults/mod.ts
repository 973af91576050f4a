/** Makes requests fail on purpose. */
export type { Fault } from "./fault.ts";
export { type FaultHandle, Faults } from "./faults.ts";
