/** Controllers of pods: creating and deleting them, claiming them, expecting them, and when they are available. */
export { queueNextAvailability, queueWhenAvailable } from "./availability.ts";
export { adoptionPatch, claim, type ClaimClient, type ClaimOptions, recheckParent } from "./claim.ts";
export { podConditionPatch } from "./condition_patch.ts";
export { DISRUPTION_TARGET } from "./disruption_target.ts";
export { Expectations, type Expected } from "./expectations.ts";
export { secondsAsGoMs } from "./go_duration.ts";
export { finishedCondition } from "./jobs.ts";
export { createAllPods, deleteAllPods } from "./pod_batches.ts";
export { PodControl, type PodControlClient, type PodCreation, podFromTemplate, podNamePrefix } from "./pod_control.ts";
export { claimPods, type ClaimPodsOptions, orphanPods, podsControlledBy } from "./pods_of.ts";
export { indexReplicaSets, orphanReplicaSets, replicaSetsControlledBy } from "./replica_set_index.ts";
export { SCALE_VERSIONS, scaleSelector } from "./scale_selector.ts";
export { slowStart, type SlowStartResult } from "./slow_start.ts";
export { UidExpectations } from "./uid_expectations.ts";
