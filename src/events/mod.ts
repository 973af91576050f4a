/** Events (core/v1), which tell users what happened to their objects. */
export { EventBroadcaster, type EventBroadcasterOptions } from "./event_broadcaster.ts";
export type { EventRecorder, EventType } from "./event_recorder.ts";
export type { EventClient } from "./event_writer.ts";
