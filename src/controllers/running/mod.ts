/** What a controller is, and how it runs: queues, handlers, causes, the journal of its syncs. */
export { serverSays } from "./answers.ts";
export { cause, causeWith, type Change, changeOf } from "./causes.ts";
export { childHandler, type ChildHandlerOptions } from "./child_handler.ts";
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
export { parentHandler, type ParentHandlerOptions } from "./parent_handler.ts";
export { parentsMatching, resolveControllerRef } from "./parents.ts";
export { refOf } from "./object_ref.ts";
export type { Journal, JournalEntry } from "./journal.ts";
export { journaled, type LooseWork } from "./journaled.ts";
export { decideBy, queueController, type QueueControllerOptions, type SyncContext } from "./queue_controller.ts";
export { selectorOfCached, validSelectorOfCached } from "./selectors.ts";
export { startAll } from "./start_all.ts";
export { withTimeout } from "./with_timeout.ts";
export { WriteGuard } from "./write_guard.ts";
