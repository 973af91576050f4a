import {
  joinKey,
  objectKey,
  type Pod,
  type ResourceClaimTemplate,
  type ResourceV1ResourceClaim,
} from "../../api/mod.ts";
import { type EventHandler, finalStateOf } from "../../cache/mod.ts";
import type { Reason } from "../../workqueue/mod.ts";
import { cause, type Change, changeOf } from "../running/mod.ts";
import { namesOfClaims } from "../device_claims/mod.ts";
import type { HandlerContext } from "./context.ts";
import { podsMadeBy, podsUsing } from "./indexes.ts";
import { hasClaims, isPodDone, needsWork } from "./pod_needs.ts";

/** What comes before the key of an object in the queue. */
export const POD_KEY = "pod:";
export const CLAIM_KEY = "claim:";

/** A pod is queued when something is to be done for it, its claims when it uses them no more. */
export function podHandler(context: HandlerContext): EventHandler<Pod> {
  const onChange = (pod: Pod, what: Change) => enqueuePod(pod, cause("pod", pod, what), context);
  const onGone = (pod: Pod) => {
    if (!hasClaims(pod)) return;
    context.gonePods.set(pod.metadata?.uid ?? "", true);
    enqueueClaims(pod, cause("pod", pod, "deleted"), context);
  };
  return {
    onAdd: (pod) => onChange(pod, "added"),
    onUpdate: (before, pod) => {
      // During a gap of the watch a pod may go and another one get its name.
      if (before.metadata?.uid !== pod.metadata?.uid) onGone(before);
      onChange(pod, changeOf(before, pod));
    },
    onDelete: (deleted) => {
      const pod = finalStateOf(deleted);
      if (pod) onGone(pod);
    },
  };
}

/** A claim is queued when it changes; pods are when that gives them something to do, and when it goes. */
export function claimHandler(context: HandlerContext): EventHandler<ResourceV1ResourceClaim> {
  const onChange = (claim: ResourceV1ResourceClaim, what: Change) => {
    context.created.shown(claim);
    const why = cause("resourceclaim", claim, what);
    const key = objectKey(claim);
    if (what !== "deleted") context.queue.add(CLAIM_KEY + key, why);
    for (const pod of podsUsing(context.pods, key)) enqueuePod(pod, why, context);
  };
  return {
    onAdd: (claim) => onChange(claim, "added"),
    onUpdate: (before, claim) => onChange(claim, changeOf(before, claim)),
    onDelete: (deleted) => {
      const claim = finalStateOf(deleted);
      if (claim) onChange(claim, "deleted");
    },
  };
}

/** A template that comes or changes may be what pods have waited for. */
export function templateHandler(context: HandlerContext): EventHandler<ResourceClaimTemplate> {
  const onChange = (template: ResourceClaimTemplate, what: Change) => {
    const why = cause("resourceclaimtemplate", template, what);
    for (const pod of podsMadeBy(context.pods, objectKey(template))) enqueuePod(pod, why, context);
  };
  return {
    onAdd: (template) => onChange(template, "added"),
    onUpdate: (before, template) => onChange(template, changeOf(before, template)),
  };
}

function enqueuePod(pod: Pod, why: Reason, context: HandlerContext): void {
  if (!hasClaims(pod)) return;
  if (isPodDone(pod)) enqueueClaims(pod, why, context);
  if (needsWork(pod, context.claims)) context.queue.add(POD_KEY + objectKey(pod), why);
}

function enqueueClaims(pod: Pod, why: Reason, { queue }: HandlerContext): void {
  const extended = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  for (const name of [...namesOfClaims(pod), ...extended ? [extended] : []]) {
    queue.add(CLAIM_KEY + joinKey(pod.metadata?.namespace, name), why);
  }
}
