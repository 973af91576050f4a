/** The disruption-controller: says how many pods of each PodDisruptionBudget may be evicted now. */
export { DISRUPTION_CONTROLLER } from "./controller.ts";
