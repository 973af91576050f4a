/** What a controller is, and how it runs: queues, handlers, causes, the journal of its syncs. */
export { announced, periodicController } from "./announced.ts";
export { cause, causeWith, type Change, changeOf } from "./causes.ts";
export { childHandler, type ChildHandlerOptions } from "./child_handler.ts";
export { withCondition } from "./conditions.ts";
export { byCreation } from "./creation_order.ts";
export { aggregateErrors, serverSays } from "./errors.ts";
export type { Controller, ControllerContext, ControllerDebug, DebugPage } from "./controller.ts";
export {
  type BuiltController,
  type ControllerDescriptor,
  type ControllerOptions,
  type ControllerRow,
  defineController,
  type OptionValues,
} from "./descriptor.ts";
export {
  finalizerRemoval,
  hasFinalizer,
  isDeletionCandidate,
  needsFinalizer,
  withFinalizer,
  withoutFinalizer,
} from "./finalizers.ts";
export type { Host } from "./host.ts";
export {
  notNumber,
  notPositive,
  type OptionRow,
  type OptionRows,
  type OptionsOf,
  type OptionType,
  type OptionValue,
  outside,
} from "./option_rows.ts";
export {
  type ControllerFiles,
  type ControllerFolders,
  type ControllerNeeds,
  type ControllerSigner,
  FolderError,
  type InformerNeed,
  needsOf,
  type Signature,
  type SigningAlgorithm,
  SigningError,
  type Supplies,
  UndeclaredNeedError,
} from "./needs.ts";
export {
  type ControllerDrivers,
  type DriverAnswer,
  type DriverCall,
  DriverError,
  type VolumeDriver,
} from "./drivers.ts";
export { parentHandler, type ParentHandlerOptions } from "./parent_handler.ts";
export { parentsMatching, resolveControllerRef } from "./parents.ts";
export { byKey, refOf } from "./object_ref.ts";
export { type Journal, journaled, type JournalEntry, type LooseWork } from "./journal.ts";
export { periodically, withTimeout } from "./periods.ts";
export {
  decideBy,
  queueController,
  type QueueControllerOptions,
  type SyncContext,
  together,
} from "./queue_controller.ts";
export { RUNNING_METRIC, sayRunning } from "./running_gauge.ts";
export { selectorOfCached, selectsEverything, validSelectorOfCached } from "./selectors.ts";
export { CLUSTER_NAME, CLUSTER_RANGES, NODE_MONITOR_PERIOD } from "./shared_options.ts";
export { startAll } from "./start_all.ts";
export { ensureNotReplaced, updateStatusWithRetry } from "./status_update.ts";
export { WriteGuard } from "./write_guard.ts";
export type { FixedOption, FlagOption, FlagValues } from "./option_rows.ts";
