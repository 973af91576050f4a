/** Storage without disks: a CSI driver's sidecars as the API server sees them. */
export { resizeConditions, resizeStatus, statusesWithoutResize, volumeSize } from "./claim_sizes.ts";
export { Operations } from "./operations.ts";
export { type Outcome, scriptOf } from "./outcomes.ts";
export { SimulatedStorage, type SimulatedStorageOptions } from "./storage.ts";
