/** The built-in controllers and what they are made from. */
export type {
  BuiltController,
  Controller,
  ControllerContext,
  ControllerDebug,
  ControllerDescriptor,
  ControllerOptions,
  ControllerRow,
  DebugPage,
  Journal,
  JournalEntry,
  OptionRow,
  OptionType,
  OptionValue,
  OptionValues,
} from "./running/mod.ts";
export { cause, type CauseParts, type Change, parseCause } from "./running/mod.ts";
export { clientNameOf } from "./client_names.ts";
export * from "./known_controllers.ts";
export * from "./registry.ts";
export * from "./custom/mod.ts";
