/** What a controller is, and what the controllers share: pod control, expectations, claiming, indexes, and the way they run. */
export { serverSays } from "./answers.ts";
export { nextAvailabilityCheckMs } from "./availability.ts";
export { cause } from "./causes.ts";
export { claim, type ClaimClient, type ClaimOptions } from "./claim.ts";
export { aggregateErrors, errorText } from "./errors.ts";
export type {
  Controller,
  ControllerContext,
  ControllerDebug,
  ControllerDescriptor,
  ControllerOptions,
} from "./controller.ts";
export { defineController } from "./define.ts";
export { Expectations, type Expected } from "./expectations.ts";
export { parentsMatching, resolveControllerRef } from "./parents.ts";
export { PodControl, type PodControlClient, type PodCreation, podFromTemplate, podNamePrefix } from "./pod_control.ts";
export { orphanPods, podsControlledBy } from "./pods_of.ts";
export { indexReplicaSets, orphanReplicaSets, replicaSetsControlledBy } from "./replica_set_index.ts";
export type { Journal, JournalEntry } from "./journal.ts";
export { decideBy, queueController, type QueueControllerOptions, type SyncContext } from "./queue_controller.ts";
export { selectorOfCached, validSelectorOfCached } from "./selectors.ts";
export { slowStart, type SlowStartResult } from "./slow_start.ts";
export { UidExpectations } from "./uid_expectations.ts";
