/** A controller group's Web Worker that fills its heap in one go when it is told to. */
// The order counts: what listens first decides who else hears of a message.
import "./group_heap_fill.ts";
import "../../../src/manager/groups/group_worker.ts";
