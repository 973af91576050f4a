import { isControlledBy, type Pod, type ResourceV1ResourceClaim } from "../../api/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import { isPodTerminal } from "../../rules/mod.ts";
import { claimNames } from "../device_claims/mod.ts";

/** Whether a pod asks for claims, or the scheduler has made one for its extended resources. */
export function hasClaims({ spec, status }: Pod): boolean {
  return (spec?.resourceClaims?.length ?? 0) > 0 || status?.extendedResourceClaimStatus !== undefined;
}

/** Whether a pod will not run any more. Upstream: isPodDone. */
export function isPodDone(pod: Pod): boolean {
  return isPodTerminal(pod) || Boolean(pod.metadata?.deletionTimestamp) && !pod.spec?.nodeName;
}

/** Whether a claim has devices and does not say that this pod may use them. */
export function lacksReservation({ metadata }: Pod, { status }: ResourceV1ResourceClaim): boolean {
  return status?.allocation !== undefined && !status.reservedFor?.some(({ uid }) => uid === metadata?.uid);
}

/**
 * Whether something is to be done for a pod: a claim is to be made, or to be reserved because the pod came to its node past the
 * scheduler. Nothing is for a pod that has ended or is being deleted.
 * Upstream: podNeedsWork, which has claims made for pods that have ended.
 */
export function needsWork(pod: Pod, claims: Pick<Lister<ResourceV1ResourceClaim>, "get">): boolean {
  if (pod.metadata?.deletionTimestamp || isPodTerminal(pod)) return false;
  const nameOf = claimNames(pod);
  return pod.spec?.resourceClaims?.some((podClaim) => {
    const found = nameOf(podClaim);
    if (found.type !== "named") return found.type !== "unneeded";
    const claim = claims.get(pod.metadata?.namespace, found.name);
    // Its user has yet to create it, unless it comes from a template.
    if (!claim) return podClaim.resourceClaimTemplateName !== undefined;
    if (found.isGenerated && !isControlledBy(claim, pod)) return false;
    return Boolean(pod.spec?.nodeName) && lacksReservation(pod, claim);
  }) ?? false;
}
