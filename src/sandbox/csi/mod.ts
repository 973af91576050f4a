/** Simulated storage: the sidecars of a CSI driver as the API server sees them. */
export { resizeConditions, resizeStatus, statusesWithoutResize, volumeSize, writeClaimStatus } from "./claim_sizes.ts";
export { Operations } from "./operations.ts";
export { type Outcome, scriptOf } from "./outcomes.ts";
export { SimulatedStorage, type SimulatedStorageOptions } from "./storage.ts";
