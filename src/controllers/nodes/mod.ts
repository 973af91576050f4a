/** What controllers of nodes share: zones, taints, labels, and how long a node has been silent. */
export { type Labels, missingCopies, writeLabels } from "./labels.ts";
export { hasTaint, type TaintIdentity } from "./taints.ts";
export { addTaints, removeTaints, swapTaints, type TaintWriter } from "./taint_writes.ts";
export { WakingTime } from "./waking_time.ts";
export { zoneKeyOf } from "./zone_key.ts";
