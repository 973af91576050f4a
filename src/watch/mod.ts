/**
 * From the API server's bytes to frames: the frame reader, list-watch, and the Reflector that keeps a sink up to date.
 */
export * from "./frame.ts";
export { peekKey } from "./object_name.ts";
export type * from "./frame_sink.ts";
export * from "./list_watch.ts";
export { Reflector } from "./reflector.ts";
export { PROGRESS_DEADLINE_MS } from "./reflector_steps.ts";
export type * from "./reflector_state.ts";
export { NoProgressError } from "./connection.ts";
export { VeryShortWatchError } from "./watch_errors.ts";
export type { RelistReason, RestartReason } from "./reflector_metrics.ts";
export type * from "./reflector_options.ts";
export { type FrameScannerOptions, JsonFrameScanner } from "./json_frame_scanner.ts";
export * from "./json_frame_reader.ts";
export * from "./list_reader.ts";
export type { JsonWalker } from "./json_walker.ts";
export type { RELIST_REASONS, RESTART_REASONS } from "./reflector_metrics.ts";
export type { StreamEnd, WatchStep, WatchStream } from "./watch_stream.ts";
export type { WatchEvent } from "./event_sifter.ts";
