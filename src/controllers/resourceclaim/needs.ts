import type { Pod, PodGroup, PodResourceClaim } from "../../api/mod.ts";
import { isPodTerminal } from "../../rules/mod.ts";
import { type Claimant, claimNames, groupKeyOf, isClaimFor, isReservedForPod } from "../device_claims/mod.ts";
import { isShared } from "./claimants.ts";
import type { HandlerContext } from "./context.ts";

type Known = Pick<HandlerContext, "claims" | "created" | "groups">;

/** Whether a pod requests claims, or the scheduler created one for its extended resources. */
export function hasClaims({ spec, status }: Pod): boolean {
  return (spec?.resourceClaims?.length ?? 0) > 0 || status?.extendedResourceClaimStatus !== undefined;
}

/** Whether a pod will not run any more. Upstream: isPodDone. */
export function isPodDone(pod: Pod): boolean {
  return isPodTerminal(pod) || Boolean(pod.metadata?.deletionTimestamp) && !pod.spec?.nodeName;
}

/**
 * Whether a pod needs work: a claim must be created or named, or reserved because the pod bypassed the scheduler. A pod
 * that has ended or is being deleted needs none.
 * Upstream: podNeedsWork, which has claims made for pods that have ended.
 */
export function podNeedsWork(pod: Pod, known: Known): boolean {
  if (pod.metadata?.deletionTimestamp || isPodTerminal(pod)) return false;
  return lacksClaims(pod, known, (podClaim) => canBeMade(podClaim, pod, known)) || lacksReservations(pod, known);
}

/** Whether a group needs a new claim. Upstream: podGroupNeedsWork. */
export function groupNeedsWork(group: PodGroup, known: Known): boolean {
  return !group.metadata?.deletionTimestamp && lacksClaims(group, known, () => true);
}

/** @param canBeMade Whether a deleted claim may be recreated. */
function lacksClaims(
  claimant: Claimant,
  { created }: Known,
  canBeMade: (podClaim: PodResourceClaim) => boolean,
): boolean {
  const nameOf = claimNames(claimant);
  return claimant.spec?.resourceClaims?.some((podClaim) => {
    const found = nameOf(podClaim);
    if (found.type !== "named") return found.type !== "unneeded";
    if (!found.isGenerated) return false; // its user makes it
    return !created.find(claimant.metadata?.namespace, found.name) && canBeMade(podClaim);
  }) ?? false;
}

/** The group creates a claim that a pod shares; the pod then gets its name. */
function canBeMade(podClaim: PodResourceClaim, pod: Pod, { groups, created }: Known): boolean {
  const groupKey = groupKeyOf(pod);
  if (!groups || groupKey === undefined) return true;
  const group = groups.get(groupKey);
  return !group || !isShared(podClaim, group) || created.of(group).length > 0;
}

function lacksReservations(pod: Pod, { claims, groups }: Known): boolean {
  if (!pod.spec?.nodeName) return false; // that is the scheduler's task
  const withGroups = { withGroups: groups !== undefined };
  const nameOf = claimNames(pod);
  return pod.spec.resourceClaims?.some((podClaim) => {
    const found = nameOf(podClaim);
    const claim = found.type === "named" ? claims.get(pod.metadata?.namespace, found.name) : undefined;
    if (!claim?.status?.allocation || isReservedForPod(claim, pod, withGroups)) return false;
    return found.type === "named" && (!found.isGenerated || isClaimFor(claim, pod, withGroups));
  }) ?? false;
}
