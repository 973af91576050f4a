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
  Host,
  Journal,
  JournalEntry,
  OptionRow,
  OptionType,
  OptionValue,
  OptionValues,
} from "./running/mod.ts";
export { cause, type Change } from "./running/mod.ts";
export {
  type ControllerDrivers,
  type ControllerFiles,
  type ControllerFolders,
  type ControllerNeeds,
  type ControllerSigner,
  type DriverAnswer,
  type DriverCall,
  DriverError,
  FolderError,
  type InformerNeed,
  needsOf,
  type Signature,
  type SigningAlgorithm,
  SigningError,
  type Supplies,
  UndeclaredNeedError,
  type VolumeDriver,
} from "./running/mod.ts";
export * from "./registry.ts";
export * from "./custom/mod.ts";
export type { FixedOption, FlagOption, FlagValues } from "./running/mod.ts";
export type { OptionRows } from "./running/mod.ts";
