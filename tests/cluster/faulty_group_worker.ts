/** A controller group's Web Worker that can be made to fail. */
// The order counts: what listens first decides who else hears of a message.
import "./suffer_faults.ts";
import "../../src/manager/groups/group_worker.ts";
