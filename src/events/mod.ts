/** Telling users what happened to their objects: core/v1 Events. */
export { EventBroadcaster, type EventBroadcasterOptions } from "./event_broadcaster.ts";
export type { EventRecorder, EventType } from "./event_recorder.ts";
export type { EventClient } from "./event_writer.ts";
