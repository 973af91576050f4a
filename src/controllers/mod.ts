/** The built-in controllers and what they are made from. */
export type {
  Controller,
  ControllerContext,
  ControllerDebug,
  ControllerDescriptor,
  ControllerOptions,
  DebugPage,
  Journal,
  JournalEntry,
} from "./running/mod.ts";
export { cause, type Change } from "./running/mod.ts";
export { clientNameOf } from "./client_names.ts";
export * from "./known_controllers.ts";
export * from "./registry.ts";
export * from "./custom/mod.ts";
