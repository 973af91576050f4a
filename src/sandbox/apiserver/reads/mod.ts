/** Lists and watches. */
export { eventLine, type WatchForm } from "./event_writer.ts";
export { keyOf, listPage, type Page } from "./list.ts";
export { type ListOptions, listOptionsOf, selectedName } from "./list_options.ts";
export { revisionOf, waitForRevision } from "./revisions.ts";
export { type Selection, selectionOf } from "./selection.ts";
export type { WatchOptions } from "./watch.ts";
export { type WatchEnd, Watches, type WatchFilter } from "./watches.ts";
