/** What a controller is, and what the controllers share: pod control, expectations, claiming, indexes, and the way they run. */
export { nextAvailabilityCheckMs } from "./availability.ts";
export { cause } from "./causes.ts";
export { adoptionPatch, claim, type ClaimClient, type ClaimOptions, releasePatch } from "./claim.ts";
export { aggregateErrors, errorText } from "./errors.ts";
export type { Controller, ControllerContext, ControllerDescriptor, ControllerOptions } from "./controller.ts";
export { Expectations, type Expected } from "./expectations.ts";
export { parentsMatching, resolveControllerRef } from "./parents.ts";
export { PodControl, type PodControlClient, type PodCreation, podFromTemplate, podNamePrefix } from "./pod_control.ts";
export { orphanPods, podsControlledBy } from "./pods_of.ts";
export { indexReplicaSets, orphanReplicaSets, replicaSetsControlledBy } from "./replica_set_index.ts";
export { runController, type RunOptions } from "./run.ts";
export { selectorOfCached, validSelectorOfCached } from "./selectors.ts";
export { slowStart, type SlowStartResult } from "./slow_start.ts";
export { UidExpectations } from "./uid_expectations.ts";
