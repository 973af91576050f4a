/** The prefix of an object's key in the queue. */
export const POD_ITEM = "pod:";
export const RULE_ITEM = "rule:";
/** Queued when devices have other taints. */
export const CHANGED_DEVICES = "devices";
/** Queued when another rule evicts. */
export const ALL_CLAIMS = "claims";
