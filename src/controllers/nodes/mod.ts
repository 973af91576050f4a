/** Controllers of nodes: their zones, their taints, and the time in which nothing was heard of them. */
export { hasTaint, type TaintIdentity } from "./taints.ts";
export { addTaints, removeTaints, swapTaints, type TaintWriter } from "./taint_writes.ts";
export { WakingTime } from "./waking_time.ts";
export { zoneKeyOf } from "./zone_key.ts";
