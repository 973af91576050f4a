import {
  joinKey,
  objectKey,
  type Pod,
  type PodGroup,
  type ResourceClaimTemplate,
  type ResourceV1ResourceClaim,
} from "../../api/mod.ts";
import { type EventHandler, finalStateOf } from "../../cache/mod.ts";
import type { Reason } from "../../workqueue/mod.ts";
import { cause, type Change, changeOf } from "../running/mod.ts";
import { namesOfClaims, podsOfGroup } from "../device_claims/mod.ts";
import type { HandlerContext } from "./context.ts";
import { madeBy, users } from "./indexes.ts";
import { claimNeedsWork, groupNeedsWork, hasClaims, isPodDone, podNeedsWork } from "./needs.ts";

/** Prefixes of objects' keys in the queue. */
export const POD_KEY = "pod:";
export const GROUP_KEY = "podgroup:";
export const CLAIM_KEY = "claim:";

/** Queues a pod if it needs work, and its claims when it no longer uses them. */
export function podHandler(context: HandlerContext): EventHandler<Pod> {
  const onChange = (pod: Pod, what: Change) => enqueuePod(pod, cause("pod", pod, what), context);
  const onGone = (pod: Pod) => {
    if (!hasClaims(pod)) return;
    context.gone.set(pod.metadata?.uid ?? "", true);
    enqueueClaims(pod, cause("pod", pod, "deleted"), context);
  };
  return {
    onAdd: (pod) => onChange(pod, "added"),
    onUpdate: (before, pod) => {
      // During a gap in the watch, a pod may be replaced by another one of its name.
      if (before.metadata?.uid !== pod.metadata?.uid) onGone(before);
      onChange(pod, changeOf(before, pod));
    },
    onDelete: (deleted) => {
      const pod = finalStateOf(deleted);
      if (pod) onGone(pod);
    },
  };
}

/** Queues a group that lacks claims, and its pods when they can proceed. When it is deleted, queues its claims. */
export function groupHandler(context: HandlerContext): EventHandler<PodGroup> {
  const onGone = (group: PodGroup) => {
    const why = cause("podgroup", group, "deleted");
    if (group.spec?.resourceClaims?.length) context.gone.set(group.metadata?.uid ?? "", true);
    for (const name of namesOfClaims(group)) {
      context.queue.add(CLAIM_KEY + joinKey(group.metadata?.namespace, name), why);
    }
  };
  const onChange = (group: PodGroup, what: Change) => {
    const why = cause("podgroup", group, what);
    return enqueueAll(podsOfGroup(context.pods, objectKey(group)), [group], why, context);
  };
  return {
    onAdd: (group) => onChange(group, "added"),
    onUpdate: (before, group) => {
      if (before.metadata?.uid !== group.metadata?.uid) onGone(before);
      return onChange(group, changeOf(before, group));
    },
    onDelete: (deleted) => {
      const group = finalStateOf(deleted);
      if (group) onGone(group);
    },
  };
}

/** Queues a claim, pods and groups that need work because the claim changed, or because it was deleted. */
export function claimHandler(context: HandlerContext): Required<EventHandler<ResourceV1ResourceClaim>> {
  const onChange = (claim: ResourceV1ResourceClaim, what: Change) => {
    context.created.shown(claim);
    const why = cause("resourceclaim", claim, what);
    const key = objectKey(claim);
    if (what !== "deleted" && claimNeedsWork(claim, context)) context.queue.add(CLAIM_KEY + key, why);
    return enqueueAll(users(context.pods, key), users(context.groups, key), why, context);
  };
  return {
    onAdd: (claim) => onChange(claim, "added"),
    onUpdate: (before, claim) => onChange(claim, changeOf(before, claim)),
    onDelete: (deleted) => {
      const claim = finalStateOf(deleted);
      if (claim) return onChange(claim, "deleted");
    },
  };
}

/** Queues pods and groups that may have waited for a new or changed template. */
export function templateHandler(context: HandlerContext): EventHandler<ResourceClaimTemplate> {
  const onChange = (template: ResourceClaimTemplate, what: Change) => {
    const why = cause("resourceclaimtemplate", template, what);
    const key = objectKey(template);
    return enqueueAll(madeBy(context.pods, key), madeBy(context.groups, key), why, context);
  };
  return {
    onAdd: (template) => onChange(template, "added"),
    onUpdate: (before, template) => onChange(template, changeOf(before, template)),
  };
}

/** Of so many, none is worth a turn of the event loop. */
const FEW = 50;

/** Thousands of pods may share a claim: others have their turn meanwhile. */
function enqueueAll(
  pods: readonly Pod[],
  groups: readonly PodGroup[],
  why: Reason,
  context: HandlerContext,
): void | Promise<void> {
  for (const group of groups) enqueueGroup(group, why, context);
  if (pods.length > FEW) return context.budget.run(enqueuingPods(pods, why, context));
  for (const pod of pods) enqueuePod(pod, why, context);
}

function* enqueuingPods(pods: readonly Pod[], why: Reason, context: HandlerContext): Generator<void, void> {
  for (const pod of pods) {
    enqueuePod(pod, why, context);
    yield;
  }
}

function enqueuePod(pod: Pod, why: Reason, context: HandlerContext): void {
  if (!hasClaims(pod)) return;
  if (isPodDone(pod)) enqueueClaims(pod, why, context);
  if (podNeedsWork(pod, context)) context.queue.add(POD_KEY + objectKey(pod), why);
}

function enqueueGroup(group: PodGroup, why: Reason, context: HandlerContext): void {
  if (groupNeedsWork(group, context)) context.queue.add(GROUP_KEY + objectKey(group), why);
}

function enqueueClaims(pod: Pod, why: Reason, { queue }: HandlerContext): void {
  const extended = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  for (const name of [...namesOfClaims(pod), ...extended ? [extended] : []]) {
    queue.add(CLAIM_KEY + joinKey(pod.metadata?.namespace, name), why);
  }
}
