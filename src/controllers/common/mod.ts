/** What a controller is, and what the controllers share: pod control, expectations, claiming, indexes, and the way they run. */
export { serverSays } from "./answers.ts";
export { nextAvailabilityCheckMs } from "./availability.ts";
export { cause, type CauseParts, type Change, changeOf, parseCause } from "./causes.ts";
export { childHandler, type ChildHandlerOptions } from "./child_handler.ts";
export { claim, type ClaimClient, type ClaimOptions } from "./claim.ts";
export { aggregateErrors, errorText } from "./errors.ts";
export type {
  Controller,
  ControllerContext,
  ControllerDebug,
  ControllerDescriptor,
  ControllerOptions,
  DebugPage,
} from "./controller.ts";
export { defineController } from "./define.ts";
export { Expectations, type Expected } from "./expectations.ts";
export * from "./monitors/mod.ts";
export { parentHandler, type ParentHandlerOptions } from "./parent_handler.ts";
export { secondsAsGoMs } from "./go_duration.ts";
export { finishedCondition } from "./jobs.ts";
export { parentsMatching, resolveControllerRef } from "./parents.ts";
export { PodControl, type PodControlClient, type PodCreation, podFromTemplate, podNamePrefix } from "./pod_control.ts";
export { refOf } from "./object_ref.ts";
export { orphanPods, podsControlledBy } from "./pods_of.ts";
export { DISRUPTION_TARGET, type PodStatement, withPodCondition } from "./pod_condition.ts";
export { indexReplicaSets, orphanReplicaSets, replicaSetsControlledBy } from "./replica_set_index.ts";
export type { Journal, JournalEntry } from "./journal.ts";
export { journaled, type LooseWork } from "./journaled.ts";
export { decideBy, queueController, type QueueControllerOptions, type SyncContext } from "./queue_controller.ts";
export * from "./revision_history/mod.ts";
export { queueWhenAvailable } from "./queue_when_available.ts";
export { scaleSelector } from "./scale_selector.ts";
export { selectorOfCached, validSelectorOfCached } from "./selectors.ts";
export { startAll } from "./start_all.ts";
export { slowStart, type SlowStartResult } from "./slow_start.ts";
export { UidExpectations } from "./uid_expectations.ts";
export { withTimeout } from "./with_timeout.ts";
export { WriteGuard } from "./write_guard.ts";
