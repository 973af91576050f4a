import {
  joinKey,
  type Pod,
  type PodGroup,
  type PodResourceClaim,
  type ResourceClaimConsumerReference,
  type ResourceV1ResourceClaim,
} from "../../api/mod.ts";
import { isPodTerminal } from "../../rules/mod.ts";
import {
  type Claimant,
  claimNames,
  groupKeyOf,
  isClaimFor,
  isGroupReference,
  isPodReference,
  isReservedForPod,
} from "../device_claims/mod.ts";
import { hasFinalizer } from "../running/mod.ts";
import { isShared } from "./claimants.ts";
import type { HandlerContext, Holders } from "./context.ts";
import { owningPod } from "./indexes.ts";

type Known = Pick<HandlerContext, "claims" | "created" | "groups">;

/** Keeps a claim whose devices have been allocated. The scheduler adds it. */
export const DEVICES_FINALIZER = "resource.kubernetes.io/delete-protection";

/** Whether a pod requests claims, or the scheduler created one for its extended resources. */
export function hasClaims({ spec, status }: Pod): boolean {
  return (spec?.resourceClaims?.length ?? 0) > 0 || status?.extendedResourceClaimStatus !== undefined;
}

/** Whether a pod will not run any more. Upstream: isPodDone. */
export function isPodDone(pod: Pod): boolean {
  return isPodTerminal(pod) || Boolean(pod.metadata?.deletionTimestamp) && !pod.spec?.nodeName;
}

/**
 * Whether a reservation must stay, or `undefined` if only the API server knows: the scheduler may have made it for a
 * pod that the cache does not show yet. Only pods and groups are known here; other reservations are left alone.
 */
export function isStillUsing(
  consumer: ResourceClaimConsumerReference,
  { metadata }: ResourceV1ResourceClaim,
  { pods, groups, gone }: Holders,
): boolean | undefined {
  const isPod = isPodReference(consumer);
  if (!isPod && !(groups && isGroupReference(consumer))) return true;
  const { name, uid } = consumer;
  if (gone.get(uid)) return false;
  const key = joinKey(metadata?.namespace, name);
  const pod = isPod ? pods.get(key) : undefined;
  const cached = isPod ? pod : groups?.get(key);
  return cached && cached.metadata?.uid === uid && !(pod && isPodDone(pod));
}

/** Whether a claim has been allocated and not let go. */
export function isHeld(claim: ResourceV1ResourceClaim): boolean {
  return hasFinalizer(claim, DEVICES_FINALIZER);
}

/**
 * Whether a claim generated for a pod outlived its use: the pod has ended. When the pod itself is deleted, the garbage
 * collector removes what it owns.
 */
export function isLeftOver(claim: ResourceV1ResourceClaim, { pods }: Pick<Holders, "pods">): boolean {
  const owner = owningPod(claim);
  const pod = owner && pods.get(joinKey(claim.metadata?.namespace, owner.name));
  return pod !== undefined && (pod.metadata?.uid !== owner?.uid || isPodDone(pod));
}

/** Whether the sync of a claim could have something to do: most changes of a claim that is in use need nothing. */
export function claimNeedsWork(claim: ResourceV1ResourceClaim, holders: Holders): boolean {
  const reserved = claim.status?.reservedFor ?? [];
  if (reserved.length > 0) return reserved.some((consumer) => !isStillUsing(consumer, claim, holders));
  return Boolean(claim.metadata?.deletionTimestamp) && isHeld(claim) || isLeftOver(claim, holders);
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
