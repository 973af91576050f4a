import { deepEqual } from "../../base/mod.ts";
import { objectKey, type Pod, type ResourceSlice, type ResourceV1ResourceClaim } from "../../api/mod.ts";
import { type EventHandler, finalStateOf } from "../../cache/mod.ts";
import { cause, type Change, changeOf } from "../running/mod.ts";
import type { HandlerContext } from "./context.ts";
import { evicts, type Rule } from "./evicting_rules.ts";
import { ALL_CLAIMS, CHANGED_DEVICES, POD_ITEM, RULE_ITEM } from "./items.ts";
import { keysOfUsers } from "./users.ts";

/** Queues a pod when it is created or deleted, gets its node, or gets its claims' names. */
export function podHandler({ queue }: Pick<HandlerContext, "queue">): EventHandler<Pod> {
  const enqueue = (pod: Pod, what: Change) => {
    if (pod.spec?.resourceClaims?.length) queue.add(POD_ITEM + objectKey(pod), cause("pod", pod, what));
  };
  return {
    onAdd: (pod) => enqueue(pod, "added"),
    onUpdate: (before, pod) => {
      const isSame = before.metadata?.uid === pod.metadata?.uid && before.spec?.nodeName === pod.spec?.nodeName &&
        deepEqual(before.status?.resourceClaimStatuses ?? [], pod.status?.resourceClaimStatuses ?? []);
      if (!isSame) enqueue(pod, changeOf(before, pod));
    },
    onDelete: (deleted) => {
      const pod = finalStateOf(deleted);
      if (pod) enqueue(pod, "deleted");
    },
  };
}

/** Queues a claim's users when its devices or its users change. */
export function claimHandler(context: HandlerContext): EventHandler<ResourceV1ResourceClaim> {
  const enqueue = (claim: ResourceV1ResourceClaim, what: Change, changed = claim) => {
    for (const key of keysOfUsers(claim, context)) {
      context.queue.add(POD_ITEM + key, cause("resourceclaim", changed, what));
    }
  };
  return {
    onAdd: (claim) => claim.status?.allocation && enqueue(claim, "added"),
    onUpdate: (before, claim) => {
      const what = changeOf(before, claim);
      if (before.status?.allocation) enqueue(before, what, claim);
      if (claim.status?.allocation) enqueue(claim, what);
    },
    onDelete: (deleted) => {
      const claim = finalStateOf(deleted);
      if (claim) enqueue(claim, "deleted");
    },
  };
}

/**
 * Records changed taints of devices for later processing: a slice may name many devices, and a device may have many
 * users.
 */
export function sliceHandler({ queue, devices, changed }: HandlerContext): EventHandler<ResourceSlice> {
  const onChange = (before: ResourceSlice | undefined, after: ResourceSlice | undefined, what: Change) => {
    const keys = devices.change(before, after);
    if (keys.length === 0) return;
    for (const key of keys) changed.add(key);
    queue.add(CHANGED_DEVICES, cause("resourceslice", after ?? before!, what));
  };
  return {
    onAdd: (slice) => onChange(undefined, slice, "added"),
    onUpdate: (before, slice) => onChange(before, slice, changeOf(before, slice)),
    onDelete: (deleted) => {
      const slice = finalStateOf(deleted);
      if (slice) onChange(slice, undefined, "deleted");
    },
  };
}

/** Queues a new or changed rule's status, and all claims if it evicts or did before. */
export function ruleHandler({ queue, rules, evictedBy }: HandlerContext): EventHandler<Rule> {
  const onChange = (before: Rule | undefined, after: Rule | undefined, what: Change) => {
    const rule = after ?? before!;
    rules.change(before, after);
    if (before && before.metadata?.uid !== after?.metadata?.uid) evictedBy.delete(before.metadata?.uid ?? "");
    const why = cause("devicetaintrule", rule, what);
    if (after) queue.add(RULE_ITEM + objectKey(after), why);
    if (before && evicts(before) || after && evicts(after)) queue.add(ALL_CLAIMS, why);
  };
  return {
    onAdd: (rule) => onChange(undefined, rule, "added"),
    onUpdate: (before, rule) => {
      const isSame = before.metadata?.uid === rule.metadata?.uid && deepEqual(before.spec, rule.spec);
      if (!isSame) onChange(before, rule, changeOf(before, rule));
    },
    onDelete: (deleted) => {
      const rule = finalStateOf(deleted);
      if (rule) onChange(rule, undefined, "deleted");
    },
  };
}
